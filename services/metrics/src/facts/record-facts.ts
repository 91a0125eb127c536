import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { addFactsToRollups, columnOfMark } from '../rollups/rollup-columns.ts';
import type { Fact, FactMark } from './fact.rules.ts';

const columns: Partial<Record<FactMark, string>> = columnOfMark;
const [marksWithColumn, markColumns] = [Object.keys(columns), Object.values(columns)];
const otherMarks = marksWithColumn.reduce((marks, mark) => `array_remove(${marks}, '${mark}')`, 'marks');

const types: Readonly<Record<keyof Fact, string>> = {
  event_id: 'text',
  account_id: 'text',
  product_id: 'text',
  product_name: 'text',
  pricing_type: 'text',
  fact_key: 'text',
  kind: 'text',
  occurred_at: 'timestamptz',
  test: 'boolean',
  currency: 'text',
  amount_cents: 'bigint',
  mrr_cents: 'bigint',
  active_delta: 'smallint',
  email: 'text',
  marks: 'text',
};
const factColumns = Object.keys(types).map((column) => (column === 'marks' ? 'marks::text[] as marks' : column));

/**
 * Writes facts, their roll-ups and products sold or visited for the first time in one statement. A fact that is recorded
 * already, under whatever event, adds nothing.
 * The statement locks the generations of the roll-ups before it writes any row: `share_rollups` (migrations/0001-initial/rollups.ts).
 */
const record = statement<{ count: number }>(
  'facts-record',
  `with incoming as materialized (
     select ${factColumns.join(', ')} from ${tableOf(types, 1)}
   ), target as materialized (
     select account_id, generation from share_rollups(array(select distinct account_id from incoming))
   ), new_facts as (
     insert into facts (event_id, account_id, product_id, fact_key, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, active_delta, email_key, marks, ${markColumns.join(', ')})
     select event_id, account_id, product_id, fact_key, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, active_delta, sha256(convert_to(email, 'UTF8')), nullif(${otherMarks}, '{}'),
       ${marksWithColumn.map((mark) => `'${mark}' = any(marks)`).join(', ')}
     from incoming join target using (account_id)
     order by event_id
     on conflict do nothing
     returning *
   ), ${addFactsToRollups}, new_products as (
     insert into products (account_id, product_id, name, pricing_type)
     select distinct on (account_id, product_id) account_id, product_id, product_name, pricing_type
     from incoming where product_name is not null order by account_id, product_id
     on conflict do nothing
   )
   select count(*) from new_facts`,
  { count: 'int8' },
);

/** Records a batch. `client` is in a transaction, and the roll-up rows stay locked until its end. */
export async function recordFacts(client: Client, facts: readonly Fact[]): Promise<void> {
  // An array of arrays would need them to be equally long, so marks arrive as the text of an array.
  const rows = facts.map((fact) => ({ ...fact, marks: `{${fact.marks.join(',')}}` }));
  await client.query(record(columnsOf(rows, types)));
}
