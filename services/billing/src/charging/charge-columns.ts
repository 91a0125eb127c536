import type { ColumnsOf } from '@app/service-kit/database';
import { mappingOf } from './column-mapping.ts';
import type { Charge } from './payment.types.ts';

const charge = mappingOf({
  id: 'text',
  amount_cents: 'int8',
  refunded_cents: 'int8',
  lost_cents: 'int8',
  currency: 'text',
  processor: 'text',
  reference: 'text',
  test: 'bool',
  step: 'text',
  refund_due_at: 'timestamptz',
  refund_from_attempt: 'int4',
});

/** What statements return of charges, by their fields, and as they select it. */
export const chargeTypes: ColumnsOf<Charge> = charge.types;
export const chargeColumns = charge.select;

/** Times as PostgreSQL writes them in JSON become dates. */
export const chargeOf = (row: Charge): Charge => ({
  ...row,
  refundDueAt: row.refundDueAt === null ? null : new Date(row.refundDueAt),
});
