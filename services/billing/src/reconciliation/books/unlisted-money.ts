import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { byNoIndex, withOne } from '@app/service-kit/planner';
import type { MoneyKind, OwnMoney } from './books.rules.ts';
import type { Reading } from './reading.ts';

interface Row extends OwnMoney {
  readonly listed: boolean;
}

const rowTypes: ColumnsOf<Row> = {
  id: 'text',
  accountId: 'text',
  orderId: 'text',
  call: 'text',
  status: 'text',
  amountCents: 'int8',
  currency: 'text',
  declineReason: 'text',
  processorReference: 'text',
  test: 'bool',
  at: 'timestamptz',
  is_over: 'bool',
  listed: 'bool',
};

const pageRows = 1_000;

/**
 * Those with the reference: what differs otherwise is reported as the processor's. They are looked up by it alone: along the index of a reading
 * all that it showed would be read for each.
 */
const shown = `select true as listed from processor_facts
  where account_id = $1 and processor = $2 and not test and reference = o.processor_reference
    and ${byNoIndex(`seen_by = 'list'`)} and ${byNoIndex('seen_at = $7')} and kind in ('charge', 'capture', 'hold', 'refund')`;

interface Columns {
  readonly id: string;
  readonly call: string;
  readonly reference: string;
  readonly at: string;
  /** Nothing depends on it any more. */
  readonly isOver?: string;
  readonly from: string;
}

/** As `OwnMoney` names them. */
const ownColumns = `o.id, o.account_id as "accountId", o.order_id as "orderId", o.call, o.status, o.amount_cents as "amountCents", o.currency,
  o.decline_reason as "declineReason", o.processor_reference as "processorReference", o.test, o.at, o.is_over`;

/** $1 account, $2 processor, $3 and $4 the last row before, $5 until when, $6 rows, $7 the reading */
const pageOf = (name: string, { id, call, reference, at, isOver = 'false', from }: Columns) =>
  statement<Row>(
    name,
    `select ${ownColumns}, listed.listed is not null as listed
     from (
       select ${id} as id, account_id, order_id, '${call}' as call, 'succeeded' as status, amount_cents, currency,
         null as decline_reason, ${reference} as processor_reference, test, ${at} as at, ${isOver} as is_over
       from ${from} and account_id = $1 and processor = $2 and not test
         and (${at}, ${id}) > ($3::timestamptz, $4) and ${at} <= $5
       order by ${at}, ${id} limit $6) as o
     ${withOne(shown, 'listed')}
     order by at, id`,
    rowTypes,
  );

const pageStatements = {
  charge: pageOf('books-unlisted-charges', {
    ...{ id: 'id', call: 'charge', reference: 'reference', at: 'charged_at', from: 'charges where true' },
  }),
  refund: pageOf('books-unlisted-refunds', {
    ...{ id: 'id', call: 'refund', reference: 'processor_reference', at: 'finished_at' },
    from: `payments where step = 'refund' and status = 'succeeded'`,
  }),
  hold: pageOf('books-unlisted-holds', {
    ...{ id: 'payment_id', call: 'authorize', reference: 'reference', at: 'held_at', from: 'holds where true' },
    isOver: `status not in ('held', 'settling')`,
  }),
};

/**
 * Our charges, our refunds or our holds of a time that a reading of the processor's list covers, a thousand at a time.
 * @returns of each page how many the list showed, and what it did not show
 */
export async function* unlistedMoney(
  { pool }: Pick<Database, 'pool'>,
  { accountId, processor, at }: Reading,
  kind: MoneyKind,
  { from, until }: { readonly from: Date; readonly until: Date },
): AsyncGenerator<{ readonly listed: number; readonly unlisted: readonly OwnMoney[] }> {
  let [passedAt, passedId] = [from, ''];
  let page: Row[];
  do {
    const values = [accountId, processor, passedAt, passedId, until, pageRows, at];
    page = (await pool.query(pageStatements[kind](values))).rows;
    const last = page.at(-1);
    if (last === undefined) return;
    [passedAt, passedId] = [last.at, last.id];
    const unlisted = page.filter(({ listed }) => !listed);
    yield { listed: page.length - unlisted.length, unlisted };
  } while (page.length === pageRows);
}
