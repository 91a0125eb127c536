import { mappingOf } from './column-mapping.ts';
import type { Hold } from './payment.types.ts';

const hold = mappingOf({
  order_id: 'text',
  account_id: 'text',
  payment_id: 'text',
  reference: 'text',
  amount_cents: 'int8',
  captured_cents: 'int8',
  currency: 'text',
  capture_before: 'timestamptz',
  decide_by: 'timestamptz',
  upsell: 'json',
  status: 'text',
  decision: 'text',
  upsell_declined: 'bool',
  lost_because: 'text',
  processor: 'text',
  test: 'bool',
  due_at: 'timestamptz',
});

/** What a statement selects of a hold, by its fields. */
export const holdColumns = hold.select();

/** Times as PostgreSQL writes them in JSON become dates. */
export const holdOf = (row: Hold): Hold => ({
  ...row,
  captureBefore: new Date(row.captureBefore),
  decideBy: new Date(row.decideBy),
  dueAt: new Date(row.dueAt),
});
