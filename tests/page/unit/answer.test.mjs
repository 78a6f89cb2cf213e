import assert from 'node:assert/strict';
import test from 'node:test';
import { approvalOf, dimensions, isEmpty, parts, questionWithout, rowOfProblem, sentence, splitStatement, withoutExpression } from '../../../crates/text2sql_server/page/lib/answer.js';
import { questionOfLink } from '../../../crates/text2sql_server/page/lib/link.js';

test('a sentence', () => {
  assert.equal(sentence('the query waits'), 'The query waits.');
  assert.equal(sentence('über allem?'), 'Über allem?');
  assert.equal(sentence(null), '');
});

test('a statement at the end of a message', () => {
  assert.deepEqual(splitStatement('Ask the owner to run: GRANT SELECT ON a.b TO c;'), { text: 'Ask the owner to run', statement: 'GRANT SELECT ON a.b TO c;' });
  assert.deepEqual(splitStatement('the period is orders.ordered_on'), { text: 'the period is orders.ordered_on', statement: null });
});

test('one result and several have the same names', () => {
  const [one] = parts({ status: 'ok', result_columns: [1], result_rows: [2], clarification: { question: 'q', readings: ['r'] } });
  assert.deepEqual([one.columns, one.rows, one.readings], [[1], [2], ['r']]);
  assert.equal(parts({ engine: 'e', results: [{ question: 'a' }, { question: 'b', engine: 'f' }] }).map(part => part.engine).join(), 'e,f');
});

test('the id of an approval', () => {
  assert.equal(approvalOf({ answer: 'the query waits for approval (id 12)', warnings: [] }), '12');
  assert.equal(approvalOf({ answer: '', warnings: ['When it is approved: SELECT * FROM text2sql.answer(7);'] }), '7');
  assert.equal(approvalOf({ answer: 'no' }), null);
});

test('a status that was raised', () => {
  const row = rowOfProblem({ sqlstate: 'T2001', title: 'which?', detail: 'status: ambiguous\nreading: a\nreading: b', hint: 'Ask one.' });
  assert.equal(row.status, 'ambiguous');
  assert.deepEqual(row.clarification.readings, ['a', 'b']);
  assert.deepEqual(row.warnings, ['Ask one.']);
  assert.equal(rowOfProblem({ sqlstate: '57014', title: '' }), null);
});

test('an empty result', () => {
  assert.equal(isEmpty({ columns: [{}], rows: [] }), true);
  assert.equal(isEmpty({ columns: [{}], rows: [{ a: null, b: null }] }), true);
  assert.equal(isEmpty({ columns: [{}], rows: [{ a: 0 }] }), false);
  assert.equal(isEmpty({ columns: null, rows: null }), false);
});

test('dimensions of a score, as object and as list', () => {
  assert.deepEqual(dimensions({ dimensions: { safety: { score: 1, reason: 'r' } } }), [{ name: 'safety', score: 1, reason: 'r' }]);
  assert.deepEqual(dimensions({ dimensions: [{ name: 'safety', score: 1, reason: 'r' }] }), [{ name: 'safety', score: 1, reason: 'r' }]);
  assert.deepEqual(dimensions(null), []);
});

test('what a link asks', () => {
  assert.deepEqual(questionOfLink('#q=What%20is%201%2B1%3F'), { question: 'What is 1+1?' });
  assert.deepEqual(questionOfLink('#q=a+b'), { question: 'a+b' });
  assert.deepEqual(questionOfLink('#sql=SELECT%201'), { sql: 'SELECT 1' });
  assert.equal(questionOfLink('#q=%20'), null);
  assert.equal(questionOfLink(''), null);
});

test('a question without the one thing that may not be read', () => {
  const refusal = 'answering seems to require public.customers.date_of_birth\nAsk the owner to run: GRANT SELECT ON public.customers TO ana;';
  const without = question => questionWithout(question, refusal)?.question ?? null;
  assert.equal(without('Show name, date of birth and country of customers'), 'Show name and country of customers');
  assert.equal(without('How many customers are there, with their date of birth?'), 'How many customers are there?');
  assert.equal(without('List name and date of birth of customers'), 'List name of customers');
  assert.equal(without('customers with date of birth per country'), 'customers per country');
  // It is what is asked for.
  assert.equal(without('What is the date of birth of our oldest customer?'), null);
  assert.equal(without('Who is the oldest?'), null);
  assert.equal(questionWithout('name and date of birth and phone', `${refusal} and public.customers.phone`), null);
});

test('a definition is told without its SQL', () => {
  assert.equal(withoutExpression("'net sales' means items without tax: round(sum(total / 1.2), 2)."), "'net sales' means items without tax.");
  assert.equal(withoutExpression('The period is orders.ordered_on from 2025-01-01.'), 'The period is orders.ordered_on from 2025-01-01.');
});
