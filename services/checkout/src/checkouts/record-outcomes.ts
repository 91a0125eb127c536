import type { PaymentOutcome } from '@app/contracts/payments';
import { outboxColumns, outboxTypes } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { isOneRow, keyAgain, sameKey } from '@app/service-kit/planner';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { insertCustomers } from '../customers/add-customers.ts';
import { newOrderTypes } from '../orders/order-columns.ts';
import { checkoutOrder, likelyDuplicateRow, orderPaidRow, type Source } from './checkout-order.ts';
import type { CheckoutRow, Queryable } from './checkout-row.ts';
import type { UpsellStatus } from './fixed-sale.ts';
import { usesChange } from './uses-change.ts';

/** How billing says that an attempt stands. */
export type AttemptOutcome = Pick<PaymentOutcome, 'status' | 'attemptNo' | 'amountCents'> &
  Partial<Pick<PaymentOutcome, 'action' | 'reason' | 'lastFour' | 'wallet' | 'decideBy' | 'processor'>>;

/** How an attempt ended, to be recorded. `row` has the sale of that attempt. */
export interface AttemptEnd {
  readonly row: CheckoutRow;
  readonly outcome: AttemptOutcome;
  readonly source: Source;
}

/** Of an order of a checkout. */
const ofCheckoutTypes = { ...newOrderTypes, immediate_access: 'text' } as const;
const orderedTypes = {
  ...ofCheckoutTypes,
  customer_id: 'text',
  checkout_id: 'text',
  attempt_no: 'int4',
  upsell_status: 'text',
  status: 'text',
  paid_at: 'timestamptz',
  last_four: 'text',
  wallet: 'text',
  decide_by: 'timestamptz',
} as const;
const eventTypes = { checkout_id: 'text', repeats: 'text', ...outboxTypes };

/**
 * Writes orders that are `paid` or, while the card is held, `authorized`; only the latter have no `order.paid` yet. An order is
 * written only by the request or event that moves the checkout on: a later one changes nothing. The use of a
 * discount that its attempt claimed is counted again if it was given back meanwhile: the sale was made for that price. The seller
 * is notified of a likely duplicate unless the payment that it `repeats` was declined meanwhile.
 */
const ordersStatement = statement<{ id: string }>(
  'checkouts-record-orders',
  `with incoming as (
     select * from json_to_recordset($1::json) as r(${recordOf(orderedTypes)})
     order by checkout_id
   ), due as materialized (
     select i.checkout_id, i.account_id, i.status, i.attempt_no, i.upsell_status, i.discount_id, i.paid_at, i.last_four,
       i.wallet, i.decide_by, c.claimed_id, c.${sameKey}
     from incoming as i cross join lateral (
       select ${keyAgain('id')}, case when status in ('processing', 'requires_action') then discount_id end as claimed_id from checkouts
       where account_id = i.account_id and id = i.checkout_id and status not in ('authorized', 'paid', 'refunded')
         and upsell_status is null
       for update) as c
   ), done as (
     update checkouts as c set status = d.status, revision = c.revision + 1, attempt_no = d.attempt_no,
       upsell_status = d.upsell_status, discount_id = d.discount_id, reason = null, action_url = null,
       paid_at = d.paid_at, last_four = d.last_four, wallet = d.wallet, decide_by = d.decide_by
     from due as d where c.account_id = d.account_id and c.id = d.checkout_id and ${isOneRow('d', 'checkout_id')}
     returning c.id, c.account_id, c.test, c.discount_id, d.claimed_id
   ), ordered as (
     insert into orders (${namesOf(ofCheckoutTypes)}, status, source, paid_at)
     select ${namesOf(ofCheckoutTypes)}, status, 'checkout', paid_at
     from incoming where checkout_id in (select id from done)
   ), buyers as (
     ${insertCustomers('select * from incoming where not test and checkout_id in (select id from done)')}
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_recordset($2::json) as e(${recordOf(eventTypes)})
     where checkout_id in (select id from done) and (repeats is null or coalesce(
       (select true from orders where id = repeats),
       (select true from checkouts where order_id = repeats and status in ('processing', 'requires_action')), false))
   ), changes as (
     select account_id, discount_id, 1 as change from done
     where not test and discount_id is distinct from claimed_id and discount_id is not null
     union all
     select account_id, claimed_id, -1 from done
     where not test and discount_id is distinct from claimed_id and claimed_id is not null
   ), ${usesChange}
   select id from done`,
  { id: 'text' },
);

const attemptTypes = { account_id: 'text', id: 'text', attempt_no: 'int4' };
const declineTypes = { ...attemptTypes, reason: 'text' };
const confirmationTypes = { ...attemptTypes, action_url: 'text' };

/** A declined attempt ends for good: its discount's use is given back, and the buyer may try again. */
const declinesStatement = statement<{ id: string }>(
  'checkouts-record-declines',
  `with due as materialized (
     select i.*, c.discount_id, c.${sameKey} from json_to_recordset($1::json) as i(${recordOf(declineTypes)})
     cross join lateral (
       select discount_id, ${keyAgain('id')} from checkouts
       where account_id = i.account_id and id = i.id and attempt_no = i.attempt_no
         and status in ('processing', 'requires_action')
       for update) as c
   ), done as (
     update checkouts as c set status = 'open', revision = c.revision + 1, reason = d.reason, action_url = null
     from due as d where c.account_id = d.account_id and c.id = d.id and ${isOneRow('d')}
     returning c.account_id, c.id, c.attempt_no, c.reason, d.discount_id, c.test
   ), tried as (
     update checkout_attempts as t set reason = d.reason from done as d
     where t.account_id = d.account_id and t.checkout_id = d.id and t.attempt_no = d.attempt_no
   ), changes as (
     select account_id, discount_id, -1 as change from done where not test and discount_id is not null
   ), ${usesChange}
   select id from done`,
  { id: 'text' },
);

const confirmationsStatement = statement<{ id: string }>(
  'checkouts-record-confirmations',
  `with due as materialized (
     select i.*, c.${sameKey}
     from json_to_recordset($1::json) as i(${recordOf(confirmationTypes)})
     cross join lateral (
       select ${keyAgain('id')} from checkouts
       where account_id = i.account_id and id = i.id and attempt_no = i.attempt_no
         and status in ('processing', 'requires_action')
       for update) as c
   )
   update checkouts as c set status = 'requires_action', revision = c.revision + 1, action_url = d.action_url
   from due as d where c.account_id = d.account_id and c.id = d.id and ${isOneRow('d')}
   returning c.id`,
  { id: 'text' },
);

/**
 * Records how attempts stand, in one statement for each kind of end: the orders and their events, or the checkouts open
 * again, or what the buyers have to do. Billing's reply and its event both bring an end here; the first one records it.
 * Checkouts are locked in the order of their ids.
 * @returns each checkout as it is then; undefined when it was done before, or when a later attempt is under way
 */
export async function recordOutcomes(db: Queryable, ends: readonly AttemptEnd[]): Promise<(CheckoutRow | undefined)[]> {
  const recorded = new Map<string, CheckoutRow>();
  for (const [kind, record] of Object.entries(recorders)) {
    const ofKind = new Map(
      ends.filter(({ outcome }) => kinds[outcome.status] === kind).map((end) => [attemptEndKey(end), end]),
    );
    const inOrder = [...ofKind.values()].toSorted((one, other) => (one.row.id < other.row.id ? -1 : 1));
    if (inOrder.length === 0) continue;
    for (const row of await record(db, inOrder)) recorded.set(`${row.id} ${row.attempt_no} ${kind}`, row);
  }
  // Of the same end given twice in one batch both get the row.
  return ends.map((end) => (end.outcome.status === 'processing' ? end.row : recorded.get(attemptEndKey(end))));
}

/** Of a card that is `held` at billing there is an order too: it is `authorized` until the upsell is decided on. */
const kinds = {
  succeeded: 'order',
  held: 'order',
  declined: 'decline',
  requires_action: 'confirmation',
  processing: 'nothing',
} as const;

const recorders = { order: recordCheckoutOrders, decline: recordDeclines, confirmation: recordConfirmations };

const attemptEndKey = ({ row, outcome }: AttemptEnd): string =>
  `${row.id} ${outcome.attemptNo} ${kinds[outcome.status]}`;

async function recordCheckoutOrders(db: Queryable, ends: readonly AttemptEnd[]): Promise<CheckoutRow[]> {
  const made = ends.map(orderOf);
  const orders = made.map(({ row, order }) => {
    const { id: checkout_id, attempt_no, upsell_status, last_four, wallet, decide_by } = row;
    return { ...order, checkout_id, attempt_no, upsell_status, last_four, wallet, decide_by };
  });
  const events = made.flatMap(({ row, event, notice }) => [
    ...(event === null ? [] : [{ ...event, checkout_id: row.id, repeats: null }]),
    ...(notice === null ? [] : [{ ...notice, checkout_id: row.id, repeats: row.repeats_order }]),
  ]);
  const done = await idsOf(db, ordersStatement([JSON.stringify(orders), JSON.stringify(events)]));
  return made.flatMap(({ row }) => (done.has(row.id) ? [row] : []));
}

function orderOf({ row, outcome, source }: AttemptEnd) {
  const { attemptNo, amountCents, lastFour = null, wallet = null, decideBy = null } = outcome;
  const sale = requireSale(row, amountCents);
  const held = outcome.status === 'held';
  const status = held ? ('authorized' as const) : ('paid' as const);
  const upsell_status: UpsellStatus | null = held ? 'offered' : null;
  const order = checkoutOrder(row, sale, status, source.nowMs);
  const notice = row.repeats_order === null ? null : likelyDuplicateRow(row, row.repeats_order, source);
  const card = { last_four: lastFour, wallet, decide_by: decideBy === null ? null : new Date(decideBy) };
  const charged = { upsell: null, processor: outcome.processor };
  const event = held ? null : orderPaidRow({ ...row, ...card }, sale, order, charged, source);
  const paid_at = held ? null : new Date(source.nowMs);
  return {
    order,
    event,
    notice,
    row: { ...row, ...card, status, upsell_status, paid_at, attempt_no: attemptNo, reason: null, action_url: null },
  };
}

/** Money for another amount than the sale's is no payment of it: a person has to check it. */
function requireSale({ id, sale }: CheckoutRow, amountCents: number) {
  if (sale === null || sale.totalCents !== amountCents)
    throw new Error(`${amountCents} were paid for the checkout ${id}, whose sale is ${sale?.totalCents ?? 'none'}`);
  return sale;
}

async function recordDeclines(db: Queryable, ends: readonly AttemptEnd[]): Promise<CheckoutRow[]> {
  const declined = ends.map(({ row, outcome }) => {
    const reason = outcome.reason ?? 'try_again_later';
    return {
      ...row,
      status: 'open' as const,
      attempt_no: outcome.attemptNo,
      reason,
      attempt_reason: reason,
      action_url: null,
    };
  });
  const incoming = declined.map(({ account_id, id, attempt_no, reason }) => ({ account_id, id, attempt_no, reason }));
  const done = await idsOf(db, declinesStatement([JSON.stringify(incoming)]));
  return declined.filter(({ id }) => done.has(id));
}

async function recordConfirmations(db: Queryable, ends: readonly AttemptEnd[]): Promise<CheckoutRow[]> {
  const waiting = ends.map(({ row, outcome }) => {
    const action_url = outcome.action?.url ?? null;
    return { ...row, status: 'requires_action' as const, attempt_no: outcome.attemptNo, action_url };
  });
  const incoming = waiting.map(({ account_id, id, attempt_no, action_url }) => ({
    account_id,
    id,
    attempt_no,
    action_url,
  }));
  const done = await idsOf(db, confirmationsStatement([JSON.stringify(incoming)]));
  return waiting.filter(({ id }) => done.has(id));
}

async function idsOf(db: Queryable, query: ReturnType<typeof ordersStatement>): Promise<Set<string>> {
  const { rows } = await db.query(query);
  return new Set(rows.map(({ id }) => id));
}
