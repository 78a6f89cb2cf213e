// <answer-part>: one result: the sentence, the table, the chart, how it was understood, and how it was found.
// `show(part, context)`: a part of lib/answer.js; context: { question, several, board }.

import { download, post } from '../lib/api.js';
import { asksWhy } from '../lib/change.js';
import { dimensions, isEmpty, objectsOf, questionWithout, sentence, withoutExpression } from '../lib/answer.js';
import { button, fill, h, icon, spinner } from '../lib/dom.js';
import { currentLanguage, formatNumber, languageOf, t } from '../lib/i18n.js';
import { models } from '../lib/choices.js';
import { daysInWords, headingOf, noteInWords } from '../lib/shown.js';
import { inPlaceOf } from '../lib/starters.js';
import { emit, may } from '../lib/state.js';
import './answer-change.js';
import './answer-chart.js';
import { message, messageList } from './message-list.js';
import { problemNote } from './problem-note.js';
import './query-details.js';
import './result-table.js';

const LOOKS = {
  ambiguous: 'question', unanswerable: 'info', not_permitted: 'lock', blocked: 'shield', failed: 'alert', waiting: 'clock',
};

const LONG_SENTENCE = 160;
const MOST_FOLLOW_UPS = 4;
// Fewer questions than these in place of an answer are joined by others that run.
const ENOUGH_READINGS = 2;
const MOST_IN_PLACE = 4;
const ARROW = ' → ';

class AnswerPart extends HTMLElement {
  show(part, context) {
    this.found = part;
    this.context = context;
    const ok = part.status === 'ok';
    this.dataset.status = part.status;
    fill(this,
      context.several && h('h3', {}, part.question),
      ok && this.#failedChecks(),
      ok ? this.#sentence() : this.#status(),
      this.#readings(),
      ok && this.#result(),
      ok && this.#change(),
      // On a board an answer is looked at, not gone on from.
      !context.board && [
        ok && this.#meaning(),
        ok && this.#followUps(),
        ok && this.#badges(),
        this.#messages(),
        ok && this.#teach(),
        !ok && this.#badges(),
        !ok && this.#without(),
        this.#inPlace(),
        !ok && this.#otherModels(),
        part.sql && this.#found(),
      ]);
    return this;
  }

  /** What the checks doubt about SQL that a model wrote, above its answer. */
  #failedChecks() {
    const { sql, engine, verified_by: verifiedBy } = this.found;
    if (!sql || verifiedBy || (engine ?? 'builtin') === 'builtin') return null;
    const place = h('div', { class: 'failed-checks', hidden: true });
    post('trust', { sql, question: this.found.question ?? this.context.question ?? null }).then(reply => {
      const findings = (Array.isArray(reply) ? reply : reply?.findings ?? []).filter(({ severity }) => !/note/i.test(severity));
      if (findings.length === 0) return;
      place.hidden = false;
      fill(place, h('div', { class: 'note problem', role: 'status' }, icon('alert'), h('div', {},
        h('p', { class: 'note-title', t: 'checks.failed' }),
        findings.slice(0, 2).map(({ evidence, finding }) => h('p', {}, sentence(evidence ?? finding.replaceAll('_', ' ')))))));
    }).catch(() => {
      // The tab of the checks says why it has none.
    });
    return place;
  }

  /** One line, behind which is how it was found: in words first. */
  #found() {
    const { score, engine } = this.found;
    const details = h('query-details', { data: { open: '' } });
    const fold = h('details', { class: 'found', on: { toggle: () => { if (fold.open) details.begin(); } } },
      h('summary', {}, h('span', { t: 'found.title' }), icon('chevron')),
      details, score && typeof score === 'object' && scoreDetails(score), engine && h('p', { class: 'muted tiny engine', t: engine === 'builtin' ? 'badge.builtin' : 'badge.engine', tArgs: { engine } }));
    details.show({ ...this.found, question: this.found.question ?? this.context.question });
    return fold;
  }

  /** The question without the column that may not be read, where that has an answer. */
  #without() {
    const { status, answer, warnings, engine } = this.found;
    if (status !== 'not_permitted') return null;
    const asked = questionWithout(this.context.question ?? '', [answer, ...(warnings ?? [])].join('\n'));
    if (!asked) return null;
    const offer = h('div', { class: 'actions' }, button('ask.without', () => emit('ask', { question: asked.question }), { icon: 'redo', class: 'small', tArgs: { what: asked.what } }));
    // What the built-in engine would not understand is not offered; asking a model would cost something.
    if ((engine ?? 'builtin') === 'builtin') {
      offer.hidden = true;
      post('to-sql', { question: asked.question, options: { model: 'builtin' } }).then(() => { offer.hidden = false; }, () => offer.remove());
    }
    return offer;
  }

  /** What the built-in engine did not answer, a model may. */
  #otherModels() {
    const { status, engine } = this.found;
    if (status !== 'unanswerable' || (engine ?? 'builtin') !== 'builtin') return null;
    const others = models().filter(model => model !== 'builtin').slice(0, 2);
    return others.length > 0 && h('div', { class: 'actions' }, others.map(model =>
      button('ask.model', () => emit('ask', { question: this.context.question, options: { model } }), { icon: 'redo', class: 'small', tArgs: { model } })));
  }

  /** Rows that are shown without a sentence, as those of a changed query. */
  showRows(part, context = {}) {
    this.found = part;
    this.context = context;
    fill(this, this.#result());
    return this;
  }

  #sentence() {
    const { answer, rows } = this.found;
    // The language of the sentence is that of the question.
    const sentence = h('p', { class: 'sentence' }, answer ? daysInWords(answer, languageOf(this.context.question ?? '')) : t('answer.no_sentence'));
    if (!answer || answer.length < LONG_SENTENCE || (rows?.length ?? 0) < 2) return sentence;
    // The rows say it again: they, and their chart, come sooner.
    sentence.classList.add('long');
    const whole = () => {
      sentence.classList.remove('long');
      more.remove();
    };
    const more = button('sentence.more', whole, { class: 'quiet tiny sentence-more' });
    requestAnimationFrame(() => { if (sentence.scrollHeight <= sentence.clientHeight + 1) whole(); });
    return [sentence, more];
  }

  #status() {
    const { status, answer, engine } = this.found;
    // The built-in engine knows what it did not understand, not what the data lack.
    const notUnderstood = status === 'unanswerable' && (engine ?? 'builtin') === 'builtin';
    const known = status in LOOKS;
    return h('div', { class: `status status-${known ? status : 'failed'}` },
      h('span', { class: 'status-icon' }, icon(LOOKS[status] ?? 'alert')),
      h('div', {},
        h('p', { class: 'status-title', t: notUnderstood ? 'status.not_understood' : `status.${known ? status : 'failed'}` }),
        answer && h('div', { class: 'status-text' }, message(answer))));
  }

  /** Nothing of the question was understood: questions of curators are as near as those that were offered. */
  #isStrange() {
    const { status, understood, readings } = this.found;
    return status === 'unanswerable' && understood?.length === 0 && readings?.length > 0;
  }

  #readings() {
    const readings = this.found.readings ?? [];
    return !this.#isStrange() && readings.length > 0 && questionsToAsk(this.found.status === 'ambiguous' ? 'readings.ambiguous' : 'readings.near', readings);
  }

  /** No refusal is the end: questions that run, the nearest first. */
  #inPlace() {
    const { status, answer, readings, rows, citations, engine } = this.found;
    // Passages that nobody has read for the question are often about something else.
    const isPassagesOnly = status === 'ok' && !rows && citations?.length > 0 && (engine ?? 'builtin') === 'builtin';
    const isRefused = ['unanswerable', 'not_permitted', 'failed'].includes(status);
    const isStrange = this.#isStrange();
    if (!(isRefused || isPassagesOnly) || (!isStrange && (readings ?? []).length >= ENOUGH_READINGS)) return null;
    const place = h('div', { class: 'in-place', hidden: true });
    // The one reading that has an answer is named at the end of the sentence.
    const named = /: ([^:]+\?)$/.exec(answer ?? '')?.[1];
    inPlaceOf(this.context.question ?? '', ENOUGH_READINGS, readings ?? []).catch(() => []).then(others => {
      const questions = [...new Set([...named ? [named] : [], ...others, ...isStrange ? readings : []])].slice(0, MOST_IN_PLACE);
      if (questions.length === 0) return;
      place.hidden = false;
      fill(place, questionsToAsk('readings.in_place', questions));
    });
    return place;
  }

  /** One figure against the period before; of a question for reasons, where it changed. */
  #change() {
    const { meaning, meaningParts, rows, columns } = this.found;
    if (rows?.length !== 1 || columns?.length !== 1) return null;
    const question = this.context.question ?? '';
    return h('answer-change').show({ meaning, parts: meaningParts, question, name: headingOf(columns[0].name), why: asksWhy(question) });
  }

  /** What the answer means, part by part: each can be another one, or go. */
  #meaning() {
    const { meaning, meaningParts } = this.found;
    if (!meaning || !meaningParts?.length) return null;
    const change = (set, text) => {
      const first = (this.found.question ?? this.context.question ?? '').split(ARROW)[0];
      // What was read from the words of the question is not true of the change.
      emit('ask', { question: `${first}${ARROW}${text}`, options: { meaning: { ...meaning, parts: [], ...set } } });
    };
    return h('div', { class: 'meaning', role: 'group', tLabel: 'meaning.title' }, meaningParts.map(({ part, text, without, choices }) => {
      const name = text ? h('span', {}, text) : h('span', { t: `meaning.add.${part}` });
      if (choices.length === 0 && !without) return h('span', { class: 'chip' }, name);
      return h('details', { class: 'meaning-part' }, h('summary', { class: 'chip' }, name, icon('chevron')), h('div', { class: 'meaning-choices' },
        choices.map(choice => h('button', { type: 'button', class: 'quiet small', on: { click: () => change(choice.set, choice.text) } }, choice.text)),
        without && button('meaning.without', () => change(without, t('meaning.without_it', { text })), { icon: 'close', class: 'quiet small' })));
    }));
  }

  /** A curator teaches another word for a part of the answer. */
  #teach() {
    const objects = may('teach') ? objectsOf(this.found.meaning) : [];
    if (objects.length === 0) return null;
    const place = h('div');
    import('./teach-objects.js').then(({ wordOpener }) => place.append(wordOpener(objects)), () => place.remove());
    return place;
  }

  /** What may be asked next, which is known to have an answer. */
  #followUps() {
    const questions = (this.found.followUps ?? []).slice(0, MOST_FOLLOW_UPS);
    return questions.length > 0 && h('div', { class: 'follow-ups', role: 'group', tLabel: 'follow_ups' }, questions.map(question =>
      h('button', { type: 'button', class: 'chip', on: { click: () => emit('ask', { question }) } }, question)));
  }

  #result() {
    const { rows, columns, truncated, sql, answer } = this.found;
    if (!rows || !columns) return null;
    const result = { columns, rows, truncated, caption: this.found.question ?? this.context.question, answer, sql, parts: this.found.meaningParts };
    const table = h('result-table');
    table.tools = this.#downloads(sql);
    table.result = result;
    const why = h('div', { class: 'why' });
    const place = h('div', { class: 'result-place' }, h('div', { class: 'result-grid' }, table, h('answer-chart')),
      isEmpty(this.found) && sql && button('why.ask', () => this.#whyEmpty(why, sql), { icon: 'question', class: 'small' }), why);
    const chart = place.querySelector('answer-chart');
    // The element has to be in the document before it draws.
    queueMicrotask(() => { chart.result = result; });
    table.addEventListener('table-sorted', ({ detail }) => { chart.sorted = detail; });
    return place;
  }

  #downloads(sql) {
    if (this.found.rows.length === 0 || !sql) return null;
    const save = async (format, control) => {
      control.disabled = true;
      try {
        const name = `${fileName(this.found.question ?? this.context.question)}.${format}`;
        // Spreadsheets of countries with a decimal comma expect a semicolon, and all of them the mark.
        const csv = format === 'csv' ? { byte_order_mark: true, separator: t('csv.separator') } : {};
        if (await download('export', { sql, format, ...csv }, name) && !this.querySelector('.download-cut')) {
          this.querySelector('.result-place').append(h('p', { class: 'table-cut download-cut', role: 'status', t: 'download.truncated' }));
        }
      } catch (problem) {
        this.querySelector('.result-place').append(problemNote(problem));
      } finally {
        control.disabled = false;
      }
    };
    return h('span', { class: 'result-tools' },
      button('download.csv', event => save('csv', event.currentTarget), { icon: 'download', class: 'quiet small' }),
      button('download.json', event => save('json', event.currentTarget), { icon: 'download', class: 'quiet small' }));
  }

  async #whyEmpty(place, sql) {
    fill(place, spinner());
    try {
      const reply = await post('why-empty', { sql });
      const causes = reply.causes ?? [];
      fill(place, causes.length === 0 ? h('p', { t: 'why.nothing' }) : causes.map(cause => h('div', { class: 'note' }, icon('info'), h('div', {},
        h('p', {}, sentence(cause.explanation)),
        cause.nearest?.length > 0 && h('p', {}, h('span', { t: 'why.nearest' }), ' ', cause.nearest.join(', ')),
        cause.changed_sql && button('why.try', () => this.querySelector('query-details')?.edit(cause.changed_sql), { icon: 'edit', class: 'small' })))));
    } catch (problem) {
      fill(place, problemNote(problem));
    }
  }

  #badges() {
    const { confidence, verified_by: verifiedBy } = this.found;
    const badges = [];
    if (verifiedBy) badges.push(h('span', { class: 'badge good' }, icon('check'), h('span', { t: 'badge.verified', tArgs: { who: verifiedBy } })));
    // How sure a figure is says nothing about a reason.
    if (confidence !== null && confidence !== undefined && !asksWhy(this.context.question)) {
      const value = Number(confidence);
      badges.push(h('span', { class: `badge ${value >= 0.9 ? 'good' : value >= 0.7 ? '' : 'doubtful'}`, tTitle: 'badge.confidence.why' },
        h('span', { t: 'badge.confidence', tArgs: { percent: formatNumber(Math.floor(value * 100)) } })));
    }
    return badges.length > 0 && h('div', { class: 'badges' }, badges);
  }

  #messages() {
    const { citations, warnings, withheld, status } = this.found;
    const said = (warnings ?? []).filter(text => status !== 'waiting' || !text.includes('text2sql.answer('));
    return [
      sources(citations),
      messageList('withheld.title', withheld, { icon: 'lock', class: 'withheld' }),
      said.length > 0 && (status === 'ok'
        ? messageList('notes.title', may('teach') ? said : said.map(text => noteInWords(withoutExpression(text), currentLanguage())), { class: 'notes' })
        : h('div', { class: 'status-notes' }, said.map(text => message(text)))),
    ];
  }
}

function scoreDetails(score) {
  return h('details', { class: 'score' },
    h('summary', {}, h('span', { t: score.weakest ? 'score.weakest' : 'score.title', tArgs: { percent: formatNumber(Math.floor(Number(score.total ?? 0) * 100)), weakest: words(score.weakest) } }), icon('chevron')),
    h('dl', {}, dimensions(score).map(({ name, score: value, reason }) => [
      h('dt', {}, words(name)),
      // No score means that the dimension could not be judged, which is not the same as zero.
      h('dd', {}, value !== null && value !== undefined && [
        h('meter', { min: '0', max: '1', low: '0.5', high: '0.75', optimum: '1', value: Number(value), 'aria-label': words(name) }),
        h('span', { class: 'score-value' }, `${formatNumber(Math.floor(Number(value) * 100))} %`),
      ], reason && h('span', { class: 'muted' }, reason)),
    ])));
}

/** Questions that a click asks. */
const questionsToAsk = (title, questions) => h('div', { class: 'readings' },
  h('p', { class: 'readings-title', t: title }),
  h('ul', {}, questions.map(question => h('li', {},
    h('button', { type: 'button', class: 'reading', on: { click: () => emit('ask', { question }) } },
      h('span', {}, question), icon('arrowUp'))))));

const words = name => String(name ?? '').replaceAll('_', ' ');
const fileName = text => (text ?? 'result').normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'result';

customElements.define('answer-part', AnswerPart);

/** The passages that the sentence cites by number, each below its place. Their text was written by others: it is shown as it is. */
function sources(citations) {
  if (!citations || citations.length === 0) return null;
  return h('div', { class: 'note sources' }, icon('info'), h('div', {}, h('p', { class: 'note-title', t: 'citations.title' }),
    h('ol', {}, citations.map(({ n, place, text }) => h('li', { value: n }, h('p', {}, `[${n}] ${place}`), h('blockquote', {}, text))))));
}
