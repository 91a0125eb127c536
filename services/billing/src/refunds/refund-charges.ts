import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { refundCharges as contract } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import { hurryRenewalsStatement } from '../charging/hurry-renewals.ts';
import type { OrderMoney } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { readMoney } from '../charging/payment-store.ts';
import type { Caller } from '../charging/start-payment.ts';
import { cancelOfRecordedOrder } from '../subscriptions/cancel-refunded.ts';
import { disputeOf } from './disputed.rules.ts';
import { nextRefundStep, type RefundResult, restOf } from './refund.rules.ts';
import { refundCharge } from './refund-charge.ts';

/**
 * From here on the refund goes on by itself, should this process die. Attempts at the processor that were made before are no
 * part of it. A request that comes again marks nothing anew: what was refused since stays refused. Charges are locked in one
 * order, as by the statement that records answers.
 * $4 the request's number, null where the caller does not count them; $5 whether renewals are requested too
 */
const requestStatement = statement<{ id: string; leftCents: number }>(
  'charges-request-refund',
  `with locked as materialized (
     select id from charges where account_id = $1 and id = any (array(
       select id from charges where account_id = $1 and order_id = $2 and step <> 'renewal'
       union all
       select id from payments
       where $5 and account_id = $1 and order_id = $2 and step = 'renewal' and status = 'succeeded'))
     order by id for no key update
   )
   update charges as c set refund_due_at = $3, refund_attempt = coalesce($4::integer, c.refund_attempt),
     refund_from_attempt = 1 + (select count(*) from payments as p
       where p.account_id = $1 and p.order_id = $2 and p.step = 'refund' and p.charge_id = c.id)
   from locked where c.id = locked.id and c.account_id = $1 and c.refunded_cents + c.lost_cents < c.amount_cents
     and ($4::integer is null or coalesce(c.refund_attempt, 0) < $4)
   returning c.id, c.amount_cents - c.refunded_cents - c.lost_cents as "leftCents"`,
  { id: 'text', leftCents: 'int8' },
);
const stopStatement = statement(
  'charges-stop-refund',
  `with locked as materialized (
     select id from charges where account_id = $1 and refund_due_at is not null and id = any (array(
       select id from payments where account_id = $1 and order_id = $2))
     order by id for no key update
   )
   update charges as c set refund_due_at = null from locked where c.id = locked.id`,
);
const goesOnAfterMs = 60_000;

/**
 * Gives back every charge of an order, each whole, and those of its renewals where that is requested. What was given back is
 * not given back again. An amount other than the expected one is not begun: the charges are locked while it is compared.
 * @throws DomainError amount_changed; invalid_transition while the order's card is held: what is not charged cannot be given back
 */
export async function refundCharges(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  {
    renewals = false,
    attempt,
    expectedCents,
    chargedElsewhere = false,
  }: Omit<RequestInput<typeof contract>, 'orderId'> = {},
): Promise<RefundResult> {
  const disputed =
    expectedCents === undefined
      ? []
      : await checkExpected(deps, caller, orderId, { renewals, expectedCents, chargedElsewhere });
  // No charge of it keeps its renewals back, as those of other orders do from the request on.
  if (chargedElsewhere) await cancelOfRecordedOrder(deps, caller, orderId);
  const dueAt = new Date(deps.clock.nowMs() + goesOnAfterMs);
  await deps.database.transaction(async (client) => {
    const values = [caller.accountId, orderId, dueAt, attempt ?? null, renewals];
    const { rows } = await client.query(requestStatement(values));
    // Of a request that comes again nothing is marked anew.
    if (expectedCents !== undefined && rows.length > 0)
      refuseOther(
        expectedCents,
        rows.map(({ id, leftCents }) => (disputed.includes(id) ? 0 : leftCents)),
      );
    await client.query(hurryRenewalsStatement([[caller.accountId], [orderId]]));
  });
  return await advanceRefund(deps, caller, orderId, renewals);
}

interface Compared {
  readonly renewals: boolean;
  readonly expectedCents: number;
  readonly chargedElsewhere: boolean;
}

/**
 * Compares before anything of the order ends; the charges are compared once more under their lock.
 * @returns the charges that an open dispute keeps from being given back
 * @throws DomainError amount_changed
 */
async function checkExpected(
  { database }: PaymentDeps,
  { accountId }: Caller,
  orderId: string,
  { renewals, expectedCents, chargedElsewhere }: Compared,
): Promise<readonly string[]> {
  const money = await readMoney(database, accountId, orderId);
  const wanted = renewals ? [...money.charges, ...money.renewals] : money.charges;
  // Of a recorded order nothing goes back, and nothing did before.
  if (chargedElsewhere && wanted.length === 0) refuseOther(expectedCents, []);
  const disputed = wanted.filter((charge) => disputeOf(money, charge) !== undefined).map(({ id }) => id);
  const left = wanted.filter((charge) => restOf(charge) > 0);
  // A refund of one was requested before: this request may have come again, which only the lock's statement knows.
  if (left.length > 0 && left.every((charge) => charge.refundFromAttempt === null))
    refuseOther(
      expectedCents,
      left.map((charge) => (disputed.includes(charge.id) ? 0 : restOf(charge))),
    );
  return disputed;
}

/** @throws DomainError amount_changed */
function refuseOther(expectedCents: number, left: readonly number[]): void {
  const cents = left.reduce((sum, each) => sum + each, 0);
  if (cents === expectedCents) return;
  const detail = `${cents} would go back now, in minor units, and not ${expectedCents}: nothing was refunded.`;
  throw new DomainError('amount_changed', detail);
}

/** Takes a refund that was requested as far as it goes. */
export async function advanceRefund(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  renewals = false,
): Promise<RefundResult> {
  return await deps.orderMutex.run(caller.accountId, orderId, () => takeRefundSteps(deps, caller, orderId, renewals));
}

/** Beside an attempt for each charge, rounds in which other replicas were faster. */
const otherRoundsMax = 12;

async function takeRefundSteps(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  renewals: boolean,
): Promise<RefundResult> {
  let roundsLeft: number | undefined;
  do {
    const money = await readMoney(deps.database, caller.accountId, orderId);
    refuseWhileHeld(money);
    roundsLeft ??= money.charges.length + money.renewals.length + otherRoundsMax;
    const next = nextRefundStep(money, renewals);
    if (next.kind === 'end') {
      if (next.result.status === 'failed') await deps.database.pool.query(stopStatement([caller.accountId, orderId]));
      return next.result;
    }
    await refundCharge(deps, caller, money, { ...next, amountCents: restOf(next.charge) });
  } while (--roundsLeft > 0);
  throw new Error(`the refund of order ${orderId} comes to no end`);
}

function refuseWhileHeld({ hold, orderId }: OrderMoney): void {
  if (hold?.status === 'held' || hold?.status === 'settling') {
    throw new DomainError('invalid_transition', `The card of the order "${orderId}" is held and not charged yet.`);
  }
}
