// <log-in>: name and password of the database.

import { get, post } from '../lib/api.js';
import { fill, h, icon } from '../lib/dom.js';
import { setTexts, t } from '../lib/i18n.js';
import { emit } from '../lib/state.js';
import { languageSwitch, themeSwitch } from './preference-switches.js';

class LogIn extends HTMLElement {
  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.user = h('input', {
      id: 'login-user', name: 'user', autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', required: true, 'aria-describedby': 'login-problem',
    });
    this.password = h('input', {
      id: 'login-password', name: 'password', type: 'password', autocomplete: 'current-password', 'aria-describedby': 'login-problem',
    });
    this.problem = h('p', { id: 'login-problem', class: 'login-problem', role: 'alert' });
    this.submit = h('button', { class: 'button primary', type: 'submit' }, h('span', { t: 'login.submit' }));
    this.append(
      h('main', { class: 'login' },
        h('form', { class: 'login-card', on: { submit: event => this.#submit(event) } },
          h('span', { class: 'brand-mark', 'aria-hidden': 'true' }),
          this.heading = h('h1', { t: 'login.title' }),
          this.lead = h('p', { class: 'muted', t: 'login.lead' }),
          this.userLabel = h('label', { for: 'login-user', t: 'login.user' }), this.user,
          h('label', { for: 'login-password', t: 'login.password' }), this.password,
          this.problem,
          this.submit),
        h('div', { class: 'login-foot' }, languageSwitch(), themeSwitch())));
    this.user.focus();
    // Without the list this database can be logged in to.
    this.#offerDatabases().catch(() => {});
  }

  /** A choice of the databases behind this server, where there are several. Each has a page of its own. */
  async #offerDatabases() {
    const { databases } = await get('databases');
    if (databases.length < 2) return;
    const select = h('select', { id: 'login-database', on: { change: () => location.assign(select.value) } },
      databases.map(({ name, path, is_this: isThis }) => h('option', { value: path, selected: isThis }, name)));
    this.userLabel.before(h('label', { for: 'login-database', t: 'who.database' }), select);
  }

  /** The session of that user has ended by itself. */
  ended(user) {
    setTexts(this.heading, { t: 'login.ended' });
    setTexts(this.lead, { t: 'login.ended.lead' });
    this.user.value = user;
    this.password.focus();
  }

  /** Shows why nobody is logged in. */
  say(problem) {
    fill(this.problem, icon('alert'), h('span', {}, sentence(problem)));
  }

  async #submit(event) {
    event.preventDefault();
    this.problem.replaceChildren();
    this.submit.disabled = true;
    this.submit.append(h('span', { class: 'spinner', 'aria-hidden': 'true' }));
    try {
      // While the database looks at the password.
      import('./app-shell.js').catch(() => {});
      emit('session', await post('session', { user: this.user.value.trim(), password: this.password.value }));
    } catch (problem) {
      this.say(problem);
      this.password.focus();
      this.password.select();
    } finally {
      this.submit.disabled = false;
      this.submit.querySelector('.spinner')?.remove();
    }
  }
}

function sentence(problem) {
  if (problem.kind === 'network') return t('login.away');
  if (problem.status === 401) return t('login.wrong');
  if (problem.status === 429) return problem.retryAfter ? t('login.too_many', { count: problem.retryAfter }) : t('login.too_many_later');
  if (problem.status === 503) return t('login.database_away');
  return [problem.title, problem.detail, problem.hint].filter(Boolean).join('. ');
}

customElements.define('log-in', LogIn);
