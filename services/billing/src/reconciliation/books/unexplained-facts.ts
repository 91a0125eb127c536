import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { byNoIndex, withOne } from '@app/service-kit/planner';
import { namesOf } from '@app/service-kit/row-arrays';
import type { PaymentRow } from '../../charging/payment-store.ts';
import { type FactKind, recordKindOf } from '../../ledger/facts.rules.ts';
import { type FactsOf, factTypes } from '../../ledger/write-facts.ts';
import type { OwnHold, OwnPayment, UnexplainedFact } from './books.rules.ts';
import type { Reading } from './reading.ts';

const pageRows = 1_000;

/** What is known of a payment, as the statement's parts name it. */
type OwnRow = Pick<PaymentRow, 'id' | 'account_id' | 'order_id' | 'call' | 'status' | 'amount_cents' | 'currency'> &
  Pick<PaymentRow, 'decline_reason' | 'processor_reference' | 'test'>;

interface Row {
  readonly position: number;
  readonly explained: boolean;
  readonly reference: string;
  readonly kind: FactKind;
  readonly amount_cents: number;
  readonly currency: string;
  readonly happened_at: Date;
  readonly payment_id: string | null;
  readonly order_id: string | null;
  readonly about: string | null;
  readonly message: string | null;
  readonly own: OwnRow | null;
  readonly hold: (OwnRow & Pick<OwnHold, 'hold_status'>) | null;
  readonly ended: boolean;
}

const factColumns = namesOf(factTypes);
const rowTypes: ColumnsOf<Row> = {
  position: 'int8',
  explained: 'bool',
  ...factTypes,
  own: 'json',
  hold: 'json',
  ended: 'bool',
};

const ownColumns = `id, account_id, order_id, call, status, amount_cents, currency, decline_reason, processor_reference, test`;
const ofAccount = 'account_id = $1 and processor = $2 and test = $3';

/** By the id alone: an account that the planner takes for small would be read whole for each. */
const ownById = `select ${ownColumns} from payments where id = f.payment_id and ${byNoIndex(ofAccount)}`;
/** Where that one has another reference, or there is none: a failed refund and the one that followed it may share an order. */
const ownByReference = `select ${ownColumns} from payments
  where by_id.processor_reference is distinct from f.reference and ${ofAccount} and order_id = f.order_id
    and processor_reference = f.reference
  order by status <> 'succeeded'`;
const ownHold = `select payment_id as id, account_id, order_id, 'authorize' as call, 'succeeded' as status, amount_cents, currency,
    null as decline_reason, reference as processor_reference, test, status as hold_status
  from holds where f.kind in ('capture', 'release') and ${ofAccount} and order_id = f.order_id and reference = f.about`;
const ending = `select true as over from processor_facts
  where f.kind = 'hold' and ${ofAccount} and about = f.reference and kind in ('capture', 'release')`;

/** Money, by a payment that succeeded with its reference, amount and currency; the others by what no payment or hold counts any more. */
const isSame = `coalesce(own.status = 'succeeded' and own.processor_reference = f.reference, false)`;
const explained = `case f.kind
    when 'charge_waiting' then own.id is not null
    when 'charge_failed' then not ${isSame}
    when 'refund_failed' then not ${isSame}
    when 'release' then held.hold_status is distinct from 'held'
    else ${isSame} and coalesce(own.amount_cents = f.amount_cents and own.currency = f.currency
      and (case own.call when 'authorize' then 'hold' when 'chargeSaved' then 'charge' when 'capture' then 'charge' else own.call end)
        = (case f.kind when 'capture' then 'charge' else f.kind end), false) end`;

/**
 * A page of facts that nothing here explains, in the order in which they were kept, with what is known of each: the payment that has its
 * reference or that it names, and the hold that it ends. The last row of the page is there though it is explained. A payment is found
 * by its id or by its order: the processor's reference has no index of its own. Each is looked up by itself, at most one of a kind, so that
 * no table is read whole, however young its statistics are.
 *
 * $1–$3 whose, $4 after which position, $5 rows
 */
const pageOf = (name: string, which: string) =>
  statement<Row>(
    name,
    `with page as materialized (
     select position, ${factColumns}
     from processor_facts
     where ${ofAccount} and position > $4 and ${which}
     order by position limit $5
   ), known as (
     select f.*, ${explained} as explained, case when own.id is not null then to_json(own) end as own,
       case when held.id is not null then to_json(held) end as hold, ending.over is not null as ended
     from page as f
     ${withOne(ownById, 'by_id')}
     ${withOne(ownByReference, 'by_reference')}
     ${withOne('select by_reference.* where by_reference.id is not null union all select by_id.* where by_reference.id is null', 'own')}
     ${withOne(ownHold, 'held')}
     ${withOne(ending, 'ending')}
   )
   select position, explained, ${factColumns}, own, hold, ended
   from known where not explained or position = (select max(position) from page) order by position`,
    rowTypes,
  );

/** $6 the reading, $7 holds or what is none, null for both, $8 where its list begins */
const shownStatement = pageOf(
  'books-unexplained-facts',
  `seen_by = 'list' and seen_at = $6 and happened_at >= $8 and ($7::boolean is null or (kind = 'hold') = $7)`,
);
const unfollowedStatement = pageOf('books-unfollowed-facts', `seen_by = 'unfollowed'`);

interface Which {
  /** After this position alone. */
  readonly after?: number;
  /** Holds alone, or all but these. */
  readonly holds?: boolean;
  /** Called with the position of the last row of each page, once the page was dealt with. */
  readonly passed?: (position: number) => void;
}

/** What nothing here explains of what a reading has shown, page by page: each is read when the one before was dealt with. */
export function unexplainedFacts(
  database: Pick<Database, 'pool'>,
  reading: Reading,
  { after = 0, holds, passed = () => undefined }: Which = {},
): AsyncGenerator<readonly UnexplainedFact[]> {
  const { at, from } = reading;
  return pagesOf(database, reading, { after, passed }, (values) =>
    shownStatement([...values, at, holds ?? null, from]),
  );
}

/** The same of what earlier readings have shown, and could not follow. */
export const unfollowedFacts = (
  database: Pick<Database, 'pool'>,
  whose: FactsOf,
): AsyncGenerator<readonly UnexplainedFact[]> =>
  pagesOf(database, whose, { after: 0, passed: () => undefined }, unfollowedStatement);

async function* pagesOf(
  { pool }: Pick<Database, 'pool'>,
  { accountId, processor, test }: FactsOf,
  { after, passed }: Required<Pick<Which, 'after' | 'passed'>>,
  pageAfter: (values: unknown[]) => ReturnType<typeof shownStatement>,
): AsyncGenerator<readonly UnexplainedFact[]> {
  let last: number | undefined = after;
  while (last !== undefined) {
    const { rows }: { rows: Row[] } = await pool.query(pageAfter([accountId, processor, test, last, pageRows]));
    const page = rows.filter((row) => !row.explained).map(factOfRow);
    if (page.length > 0) yield page;
    last = rows.at(-1)?.position;
    if (last !== undefined) passed(last);
  }
}

const factOfRow = ({ kind, own, hold, ended, ...row }: Row): UnexplainedFact => ({
  fact: {
    ...recordKindOf(kind),
    reference: row.reference,
    paymentId: row.payment_id,
    orderId: row.order_id,
    about: row.about,
    amountCents: row.amount_cents,
    currency: row.currency,
    recordedAt: row.happened_at,
    message: row.message,
  },
  own: own === null ? undefined : ownOf(own),
  hold: hold === null ? undefined : { ...ownOf(hold), hold_status: hold.hold_status },
  ended,
});

const ownOf = ({
  account_id: accountId,
  order_id: orderId,
  amount_cents: amountCents,
  decline_reason: declineReason,
  processor_reference: processorReference,
  ...own
}: OwnRow): OwnPayment => {
  const { id, call, status, currency, test } = own;
  return { id, accountId, orderId, call, status, amountCents, currency, declineReason, processorReference, test };
};
