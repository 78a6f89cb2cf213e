// The form of a model: a new one, or what changes of one that is there. A key is never typed: its file is named.

import { post } from '../lib/api.js';
import { t } from '../lib/i18n.js';
import { choice, field, form, line, said, words } from './form-fields.js';

const PROTOCOLS = ['openai', 'anthropic', 'local', 'embeddings', 'rerank'];
const EGRESS = ['schema', 'values', 'rows'];

const plain = { spellcheck: 'false', autocapitalize: 'none' };
const number = { inputmode: 'decimal', pattern: '[0-9]*([.][0-9]+)?' };

/** The form; without a model it adds one. `saved` is called when it is stored. */
export function modelForm(model, close, saved) {
  const name = line('', { required: true, ...plain });
  const protocol = choice(PROTOCOLS.map(one => [one, one]), model?.protocol ?? 'openai');
  const url = line(model?.base_url, { type: 'url', ...plain });
  const modelName = line(model?.model_name, plain);
  const key = line('', plain);
  const egress = choice(EGRESS.map(level => [level, `${level}: ${t(`egress.level.${level}`)}`]), model?.egress ?? 'schema');
  const input = line(model?.price_input, number);
  const output = line(model?.price_output, number);
  const users = line(model?.users?.join(', '), plain);
  const options = line('', { placeholder: '{"timeout_ms": "30000"}', ...plain });

  /** The options that were given, and prices, which are among them: one that was emptied goes. */
  function furtherOptions() {
    let given = {};
    if (said(options)) {
      try {
        given = JSON.parse(said(options));
      } catch {
        given = null;
      }
      if (given === null || typeof given !== 'object' || Array.isArray(given)) throw new Error(t('admin.models.options.wrong'));
    }
    for (const [option, control, before] of [['price_input', input, model?.price_input], ['price_output', output, model?.price_output]]) {
      if (said(control)) given[option] = said(control);
      else if (before !== null && before !== undefined) given[option] = null;
    }
    return given;
  }

  const settings = () => ({
    protocol: protocol.value, base_url: said(url), model_name: said(modelName), api_key_file: said(key), egress: egress.value,
    options: furtherOptions(), users: words(users),
  });
  return form({
    title: model ? 'admin.models.change' : 'admin.models.add',
    fields: [
      !model && field('admin.models.name', name, { hint: 'admin.models.name.hint' }),
      field('admin.models.protocol', protocol), field('admin.models.url', url), field('admin.models.model_name', modelName),
      field('admin.models.key_file', key, { hint: model ? 'admin.models.key_file.kept' : 'admin.models.key_file.hint' }),
      field('admin.models.may_be_sent', egress), field('admin.models.users', users, { hint: 'admin.models.users.hint' }),
      field('admin.models.price_input', input), field('admin.models.price_output', output),
      field('admin.models.options', options, { hint: 'admin.models.options.hint' }),
    ].filter(Boolean),
    save: () => (model
      ? post(`admin/models/${encodeURIComponent(model.model)}`, settings())
      : post('admin/models', { name: said(name), ...settings() })),
    saved,
    cancel: close,
  });
}
