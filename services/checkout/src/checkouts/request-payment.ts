import type { CheckoutOutcome, PayCheckoutBody } from '@app/contracts/checkouts';
import type { RequestInput } from '@app/contracts/define';
import { type OfferedUpsell, type PaymentOutcome, startPayment } from '@app/contracts/payments';
import { answerWithinMs, processorCalls } from '@app/contracts/time-outs';
import type { RequestContext } from '@app/messaging/request-headers';
import type { CallContext } from '@app/messaging/requester';
import { isOutage } from '@app/service-kit/outages';
import { checkoutOutcomeOf, savesCardOf } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { orderIdOf } from './checkout-order.ts';
import { type CheckoutRow, checkoutOfAttempt, readAgain } from './checkout-row.ts';

/** When billing is to have answered: its reply is recorded, and the buyer answered, before the gateway waits no longer. */
export const billingDeadlineMs = ({ deadlineMs }: RequestContext): number => deadlineMs - answerWithinMs;

/**
 * Requests the payment of the attempt under way from billing's `startPayment`, and records the reply. Billing makes an attempt once: a request that
 * joins it gets the same outcome. `processing` when billing does not know yet or does not reply: its event brings the outcome then.
 */
export async function requestPayment(
  deps: CheckoutDeps,
  row: CheckoutRow,
  body: PayCheckoutBody,
  context: RequestContext,
): Promise<CheckoutOutcome> {
  const paying = requirePaying(row);
  const outcome = paying.sale.totalCents === 0 ? free : await payment(deps, paying, body, context);
  if (outcome === undefined) return checkoutOutcomeOf(row);
  return await outcomeRecorded(deps, row, outcome, context.requestId);
}

/** An order of 0 is paid without the processor. */
export const free = { status: 'succeeded', amountCents: 0 } as const;

type AttemptedSale = Pick<CheckoutRow, 'attempt_no' | 'test' | 'decision_minutes'> & {
  readonly sale: NonNullable<CheckoutRow['sale']>;
  readonly order_id: string;
  readonly attempt_began_at: Date;
};
type Paying = CheckoutRow & AttemptedSale;

async function payment(
  { requester }: CheckoutDeps,
  row: Paying,
  body: PayCheckoutBody,
  context: RequestContext,
): Promise<PaymentOutcome | undefined> {
  const { requestId, commandId } = context;
  // Its buyer reads sooner that it is under way.
  const waitsMs = row.attempt_no === 1 ? processorCalls(1).timeoutMs : startPayment.timeoutMs;
  const deadlineMs = Math.min(billingDeadlineMs(context), Date.now() + waitsMs);
  const call = { accountId: row.account_id, requestId, commandId, deadlineMs };
  return await requester.request(startPayment, attemptOf(row, body), call).catch(unlessOutage);
}

/**
 * Requests from billing an attempt of which it has no row: it has lost it, where its database was restored from a backup, or never got
 * it. Without a card billing sends nothing: its own `lookUpAttempt` looks for the attempt at the processor, and declines it where there is none.
 */
export async function lookUpAttempt(
  { requester }: CheckoutDeps,
  row: CheckoutRow,
  call: CallContext,
): Promise<PaymentOutcome> {
  return await requester.request(startPayment, { ...attemptToLookUp(row), paymentMethod: null }, call);
}

function requirePaying(row: CheckoutRow): Paying {
  const { sale, order_id, attempt_began_at } = row;
  if (sale === null || order_id === null || attempt_began_at === null)
    throw new Error(`the checkout ${row.id} is paid without a sale`);
  return { ...row, sale, order_id, attempt_began_at };
}

/** The attempt of a checkout, to be looked up. */
export function attemptToLookUp(row: CheckoutRow): Omit<RequestInput<typeof startPayment>, 'paymentMethod'> {
  const { paymentMethod: _, ...attempt } = attemptOf(requirePaying(row), { paymentMethod: null });
  return attempt;
}

/** What billing is requested to charge or to hold. */
export function attemptOf(
  { order_id, attempt_no, attempt_began_at, test, decision_minutes, sale }: AttemptedSale,
  body: Pick<PayCheckoutBody, 'returnUrl' | 'confirmsByScript'> & { readonly paymentMethod: string | null },
): RequestInput<typeof startPayment> {
  const { paymentMethod, returnUrl, confirmsByScript } = body;
  return {
    orderId: order_id,
    attemptNo: attempt_no,
    begunAt: attempt_began_at.toISOString(),
    amountCents: sale.totalCents,
    currency: sale.product.currency,
    paymentMethod,
    customerEmail: sale.email,
    ...(sale.name !== null && { customerName: sale.name }),
    productName: sale.product.name,
    test,
    returnUrl: returnUrl ?? null,
    confirmsByScript: confirmsByScript ?? false,
    hold: sale.upsell === null ? null : { upsell: chargedFor(sale.upsell), decisionMinutes: decision_minutes },
    savesCard: savesCardOf(sale, sale.upsell),
  };
}

const chargedFor = ({ upsellId, headline, amountCents }: OfferedUpsell): OfferedUpsell => ({
  upsellId,
  headline,
  amountCents,
});

/** The request may have reached billing: what became of it is not known yet. */
export function unlessOutage(err: unknown): undefined {
  if (!isOutage(err)) throw err;
}

/** Records how billing says a payment stands, unless that was done meanwhile, and says how the checkout stands. */
export async function outcomeRecorded(
  deps: CheckoutDeps,
  row: CheckoutRow,
  outcome: PaymentOutcome | typeof free,
  requestId: string,
): Promise<CheckoutOutcome> {
  const source = { requestId, nowMs: deps.clock.nowMs() };
  const stated = { attemptNo: row.attempt_no, ...outcome };
  // An earlier attempt may have succeeded after all: then it is for the sale of that attempt.
  const { pool } = deps.database;
  const rowOfAttempt =
    stated.attemptNo === row.attempt_no
      ? row
      : await checkoutOfAttempt(pool, row.account_id, orderIdOf(row), stated.attemptNo);
  const recorded = await deps.steps.record({ row: rowOfAttempt, outcome: stated, source });
  if (recorded === undefined) return checkoutOutcomeOf(await readAgain(deps.database, row));
  if (recorded.status === 'paid') deps.wakeRelay();
  return checkoutOutcomeOf(recorded);
}
