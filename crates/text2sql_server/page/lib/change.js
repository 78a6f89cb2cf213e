// A figure of one period against the period before, and where the change comes from: meanings that the database
// compiles (docs/reference/meaning.json), and the queries around what it makes of them. Shares are computed there.

const day = text => new Date(`${text}T00:00:00Z`);
const iso = date => date.toISOString().slice(0, 10);
const shifted = (text, months, days) => {
  const date = day(text);
  return iso(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate() + days)));
};
const DAY = /^\d{4}-\d\d-\d\d$/;
const isFirst = text => text.endsWith('-01');
const monthsBetween = (from, before) => (day(before).getUTCFullYear() - day(from).getUTCFullYear()) * 12 + day(before).getUTCMonth() - day(from).getUTCMonth();

/** The period of the same length before: months before months, days before days. */
export function periodBefore({ column, from, before }) {
  if (isFirst(from) && isFirst(before)) return { column, from: shifted(from, -monthsBetween(from, before), 0), before: from };
  const days = Math.round((day(before) - day(from)) / 86_400_000);
  return { column, from: shifted(from, 0, -days), before: from };
}

/** The month that a day is in. */
export const monthOf = (column, text) => ({ column, from: `${text.slice(0, 7)}-01`, before: shifted(`${text.slice(0, 7)}-01`, 1, 0) });

/** A period as people say it: "Nov 2025", "2025", "Q2 2025", "3 Mar 2025 – 9 Mar 2025". */
export function periodName({ from, before }, language) {
  const written = (style, date) => new Intl.DateTimeFormat(style.day && language === 'en' ? 'en-GB' : language, { ...style, timeZone: 'UTC' }).format(date);
  const months = isFirst(from) && isFirst(before) ? monthsBetween(from, before) : 0;
  const month = day(from).getUTCMonth();
  if (months === 12 && month === 0) return written({ year: 'numeric' }, day(from));
  if (months === 3 && month % 3 === 0) return `Q${month / 3 + 1} ${from.slice(0, 4)}`;
  if (months === 1) return written({ month: 'short', year: 'numeric' }, day(from));
  const style = months > 0 ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short', year: 'numeric' };
  const [first, last] = [written(style, day(from)), written(style, day(shifted(before, 0, -1)))];
  return first === last ? first : `${first} – ${last}`;
}

/** What can be compared of a meaning, `{ measure, period, at, dateColumn }`, or null: one figure over rows that have days. */
export function comparable(meaning, parts) {
  const figures = meaning?.answer?.figures;
  if (!figures || figures.measures.length !== 1 || figures.dimensions.length > 0) return null;
  const [measure] = figures.measures;
  if (!measure.value.aggregate || measure.value.aggregate.only?.length > 0) return null;
  const at = meaning.conditions.findIndex(condition => DAY.test(condition.period?.from) && DAY.test(condition.period.before));
  const dates = splitsOf(parts).flatMap(({ dimensions }) => dimensions).filter(({ date }) => date);
  const period = at < 0 ? null : meaning.conditions[at].period;
  const dateColumn = period?.column ?? dates[0]?.date[0] ?? null;
  return dateColumn && { measure, period, at, dateColumn };
}

const splitsOf = parts => (parts ?? []).filter(({ part }) => part === 'by').flatMap(({ choices }) => choices)
  .map(({ text, set }) => ({ text, dimensions: set.answer?.figures?.dimensions ?? [] }));

/** By what a change can be split: sums and counts by what is no period. */
export function splits({ measure }, parts) {
  if (!['sum', 'count'].includes(measure.value.aggregate.function)) return [];
  return splitsOf(parts).filter(({ dimensions }) => dimensions.length === 1 && !dimensions[0].date);
}

/** The meaning with both periods as columns `period_before` and `period_now`, by these dimensions. */
export function compared(meaning, { measure, at }, period, dimensions = []) {
  const earlier = periodBefore(period);
  const { aggregate } = measure.value;
  const only = within => ({ value: { aggregate: { ...aggregate, only: [{ period: within }] } } });
  const both = { period: { column: period.column, from: earlier.from, before: period.before } };
  const conditions = at < 0 ? [...meaning.conditions, both] : meaning.conditions.with(at, both);
  return {
    ...meaning, conditions, parts: [], order: null,
    answer: { figures: { measures: [{ name: 'period_before', ...only(earlier) }, { name: 'period_now', ...only(period) }], dimensions } },
  };
}

/** The meaning with the latest day of its rows as the only figure. */
export const latest = (meaning, { dateColumn }) => ({
  ...meaning, parts: [], order: null,
  answer: { figures: { measures: [{ name: 'latest', value: { aggregate: { function: 'maximum', of: { column: dateColumn } } } }], dimensions: [] } },
});

/** The statement of both periods with their difference. */
export const withChange = sql => `SELECT t.period_before, t.period_now, t.period_now - t.period_before AS change,
       round((100.0 * (t.period_now - t.period_before) / nullif(t.period_before, 0))::numeric, 1) AS percent
  FROM (
${sql}
) AS t`;

const MOST_GROUPS = 5;

/**
 * The groups that changed most, each with its share of the whole change. `explains`: how much of all that moved is in
 * the three groups that moved most against what they would have in step with the whole; 0 where all changed alike.
 */
export const splitWithShares = (total, sql) => `WITH whole AS (
  SELECT coalesce(t.period_now, 0) - coalesce(t.period_before, 0) AS change, nullif(t.period_before, 0) AS earlier
    FROM (
${total}
  ) AS t
), split AS (
  SELECT g.*, coalesce(g.period_now, 0) - coalesce(g.period_before, 0) AS change,
         abs(coalesce(g.period_now, 0) - coalesce(g.period_before, 0)
             - coalesce(1.0 * whole.change * coalesce(g.period_before, 0) / whole.earlier, 0)) AS moved
    FROM (
${sql}
  ) AS g, whole
), ranked AS (
  SELECT split.*, row_number() OVER (ORDER BY split.moved DESC) AS place FROM split
)
SELECT ranked.*, round((100.0 * ranked.change / nullif(whole.change, 0))::numeric) AS share_percent,
       sum(ranked.moved) FILTER (WHERE ranked.place <= 3) OVER () / nullif(sum(abs(ranked.change)) OVER (), 0)
         * (1 - 1.0 / count(*) OVER ()) AS explains
  FROM ranked, whole
 ORDER BY abs(ranked.change) DESC
 LIMIT ${MOST_GROUPS}`;

const WHY = /^\W*(why|how come|for what reason|what (caused|explains)|warum|weshalb|wieso|weswegen|woran liegt)\b/i;

/** Whether a question asks for a reason. */
export const asksWhy = question => WHY.test(question ?? '');
