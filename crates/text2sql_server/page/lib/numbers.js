// Numbers of the database, digit for digit. A JavaScript number holds 17 digits and drops trailing zeros, so a
// number whose text would change is kept as its text.

export class Exact {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const hasSource = (() => {
  let source;
  JSON.parse('1.0', (_key, value, context) => {
    source = context?.source;
    return value;
  });
  return source === '1.0';
})();

function exactOrNumber(value, source) {
  return String(value) === source ? value : new Exact(source);
}

function parseWithSource(text) {
  return JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' ? exactOrNumber(value, context.source) : value);
}

// For browsers whose JSON.parse does not tell the source of a number: such numbers become objects with one key that
// nobody else can know, before the text is parsed.
export function parseWithMarks(text) {
  const mark = `number-${Math.random().toString(36).slice(2)}`;
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, token =>
    token[0] === '"' || String(Number(token)) === token ? token : `{"${mark}":"${token}"}`);
  return JSON.parse(marked, (_key, value) =>
    value !== null && typeof value === 'object' && Object.hasOwn(value, mark) ? new Exact(value[mark]) : value);
}

/** Parses JSON and keeps every digit of its numbers. */
export const parseJson = hasSource ? parseWithSource : parseWithMarks;

/** Writes JSON with every digit of the numbers that `parseJson` read. */
export function toJson(value, indent = '', inner = '') {
  if (value instanceof Exact) return value.text;
  const open = indent ? `\n${inner}${indent}` : '';
  const close = indent ? `\n${inner}` : '';
  const next = inner + indent;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${value.map(item => open + (toJson(item, indent, next) ?? 'null')).join(',')}${close}]`;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return '{}';
    const colon = indent ? ': ' : ':';
    return `{${entries.map(([key, item]) => open + JSON.stringify(key) + colon + toJson(item, indent, next)).join(',')}${close}}`;
  }
  return JSON.stringify(value);
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * What compares like the number that `text` writes, however long it is: sign, power of ten of the first digit,
 * digits. PostgreSQL sorts NaN above infinity.
 */
export function decimalKey(text) {
  if (text === 'NaN') return { sign: 1, power: Infinity, digits: '2' };
  if (text === 'Infinity') return { sign: 1, power: Infinity, digits: '1' };
  if (text === '-Infinity') return { sign: -1, power: Infinity, digits: '1' };
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '').replace(/0+$/, '');
  if (digits === '') return { sign: 0, power: 0, digits: '' };
  const leading = all.length - all.replace(/^0+/, '').length;
  return { sign: sign === '-' ? -1 : 1, power: whole.length - leading + Number(exponent), digits };
}

/** Compares two keys of `decimalKey`. */
export function compareDecimalKeys(a, b) {
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.power !== b.power) return (a.power < b.power ? -1 : 1) * a.sign;
  if (a.digits === b.digits) return 0;
  return (a.digits < b.digits ? -1 : 1) * a.sign;
}
