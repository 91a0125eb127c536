import { hourMs } from '@app/contracts/durations';
import { idTimeMs } from '@app/contracts/ids';
import { type HoldResult, holdSettled } from '@app/contracts/payments';
import { insertOutboxIfAny, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { beginPayment, type NextPayment } from '../charging/attempt-store.ts';
import type { Hold, OrderMoney, Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { holdPaymentKey } from '../charging/payment-key.ts';
import {
  capturedElsewhereText,
  holdLostText,
  holdNotReleasedText,
  holdReleasedText,
  holdTakenText,
  isAlreadyCaptured,
  isHoldOver,
} from '../charging/payment-notices.rules.ts';
import { noticeEvent } from '../charging/payment-notices.ts';
import { readMoney } from '../charging/payment-store.ts';
import { sendUnlessFound } from '../charging/send-unless-found.ts';
import type { Caller } from '../charging/start-payment.ts';
import { type HoldStep, holdResultOf, nextHoldStep } from './hold.rules.ts';
import { releasesOf } from './hold-releases.ts';

/** How a hold stands, and whether this call brought it to its end. */
export interface AdvancedHold {
  readonly hold: Hold;
  readonly finished: boolean;
}

export interface HowFar {
  /** A capture, and a release as well, that was declined is tried again, once: by the daily run and the payments loop, not while a buyer waits. */
  readonly retryCapture: boolean;
}

/** A capture, the charge instead of it and an upsell, each begun and ended, and a release: more steps in a row mean a fault. */
const stepsMax = 12;

/** What a processor recorded is in its list by then. */
const listedWithinMs = hourMs;
const findAgainAfterMs = 600_000;

/**
 * Takes a decided hold as far as it goes: captures it, charges the upsell, or releases it; then ends it. Every step is read from the rows, so
 * the next caller goes on where a process died, and a step that succeeded is not repeated.
 */
export async function advanceHold(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  { retryCapture }: HowFar,
): Promise<AdvancedHold | undefined> {
  let mayRetryCapture = retryCapture;
  let notListed = false;
  for (let count = 0; count < stepsMax; count += 1) {
    const money = await readMoney(deps.database, caller.accountId, orderId);
    const { hold } = money;
    if (hold?.status !== 'settling') return hold === null ? undefined : { hold, finished: false };
    const releases = releasesOf(hold, money);
    const occasion = { nowMs: deps.clock.nowMs(), retryCapture: mayRetryCapture, notListed, releases };
    const next = nextHoldStep(hold, money, occasion);
    if (next.kind === 'send' && (next.step === 'capture' || next.step === 'release')) mayRetryCapture = false;
    const advanced = await takeStep(deps, caller, { hold, money, next });
    if (advanced === 'not listed') {
      notListed = true;
      continue;
    }
    if (advanced !== undefined) return advanced;
  }
  throw new Error(`the hold of order ${orderId} comes to no end`);
}

interface Planned {
  readonly hold: Hold;
  readonly money: OrderMoney;
  readonly next: HoldStep;
}

/** Undefined when the hold goes on from there, or when another process was faster. */
async function takeStep(
  deps: PaymentDeps,
  caller: Caller,
  { hold, money, next }: Planned,
): Promise<AdvancedHold | 'not listed' | undefined> {
  switch (next.kind) {
    case 'wait':
      await waitUntil(deps, hold, next.until);
      return { hold, finished: false };
    case 'find capture': {
      const nowMs = deps.clock.nowMs();
      const result = await deps.restored.findCapture(caller.requestId, { hold, money, attemptNo: next.attemptNo });
      if (result === 'recorded') return undefined;
      if (result === 'not listed' && nowMs - next.since.getTime() >= listedWithinMs) return result;
      await waitUntil(deps, hold, new Date(nowMs + findAgainAfterMs));
      return { hold, finished: false };
    }
    case 'finish': {
      const finished = await finishHold(deps, caller, money, hold, next);
      return finished === undefined ? undefined : { hold: finished, finished: true };
    }
    case 'send': {
      const held = heldPayment(hold, money);
      const begun = await beginPayment(deps, money, nextHoldPayment(hold, held, money, next));
      // Of a hold that was looked up the row is new; its id has the order's time.
      const sinceMs = Math.min(idTimeMs(held.id), held.createdAt.getTime());
      if (begun !== undefined) await sendUnlessFound(deps, begun, { requestId: caller.requestId, money }, sinceMs);
      return undefined;
    }
  }
}

function heldPayment({ paymentId }: Hold, { orderId, payments }: OrderMoney): Payment {
  const held = payments.find(({ id }) => id === paymentId);
  if (held === undefined) throw new Error(`order ${orderId} has a hold without its payment`);
  return held;
}

function nextHoldPayment(
  hold: Hold,
  held: Payment,
  { orderId, savedMethod }: OrderMoney,
  { step, attemptNo }: Extract<HoldStep, { kind: 'send' }>,
): NextPayment {
  const { currency, processor, reference } = hold;
  const amountCents = step === 'upsell' ? hold.upsell.amountCents : hold.amountCents;
  const id = holdPaymentKey(held, step, attemptNo);
  const about = { id, step, attemptNo, amountCents, currency, processor, followsHold: true as const };
  if (step === 'capture' || step === 'release') {
    const requestOf = (paymentId: string) => ({ paymentId, amountCents, currency, reference });
    const ends = step === 'release' && { releasedPaymentId: held.id };
    return { ...about, ...ends, requestOf: (paymentId) => ({ call: step, request: requestOf(paymentId) }) };
  }
  if (savedMethod === null) throw new Error(`order ${orderId} has no saved card`);
  const { customerEmail, request } = held;
  const words = {
    description: step === 'upsell' ? hold.upsell.headline : held.productName,
    ...('statementSuffix' in request && { statementSuffix: request.statementSuffix }),
  };
  const whose = { savedMethod, customerEmail, orderId };
  const requestOf = (paymentId: string) => ({ paymentId, amountCents, currency, ...whose, ...words });
  return { ...about, requestOf: (paymentId) => ({ call: 'chargeSaved', request: requestOf(paymentId) }) };
}

const waitStatement = statement(
  'holds-wait',
  `update holds set due_at = $3 where account_id = $1 and order_id = $2 and status = 'settling'`,
);

async function waitUntil({ database }: PaymentDeps, hold: Hold, until: Date): Promise<void> {
  await database.pool.query(waitStatement([hold.accountId, hold.orderId, until]));
}

const finishStatement = statement(
  'holds-finish',
  `with finished as (
     update holds set status = $3, upsell_declined = $4, settled_at = $5, lost_because = $6
     where account_id = $1 and order_id = $2 and status = 'settling'
     returning order_id
   ), events as (
     ${insertOutboxIfAny('finished', '$7')}
   )
   select from finished`,
);

/** The end of a hold and its event, once: undefined when another process ended it. */
async function finishHold(
  { database, clock, wakeRelay }: PaymentDeps,
  { requestId }: Caller,
  money: OrderMoney,
  hold: Hold,
  end: Extract<HoldStep, { kind: 'finish' }>,
): Promise<Hold | undefined> {
  const nowMs = clock.nowMs();
  const source = { accountId: hold.accountId, requestId, nowMs };
  const { status } = end;
  const upsellDeclined = end.status === 'settled' && end.upsellDeclined;
  const lostBecause = end.status === 'lost' ? end.reason : null;
  const finished: Hold = { ...hold, status, upsellDeclined, lostBecause };
  const notice = noticeAtEnd(money.payments, finished);
  const events = [
    outboxRow(holdSettled, settledData(finished, money.payments, nowMs), source),
    ...(notice === undefined ? [] : [noticeEvent(aboutOf(hold), notice, source)]),
  ];
  const ended = [status, upsellDeclined, new Date(nowMs), lostBecause];
  const values = [hold.accountId, hold.orderId, ...ended, JSON.stringify(events)];
  const { rowCount } = await database.pool.query(finishStatement(values));
  if (rowCount === 0) return undefined;
  wakeRelay();
  return finished;
}

/** What the seller has to know: the money is lost, or is taken otherwise than by a capture at once. */
function noticeAtEnd(payments: readonly Payment[], hold: Hold): string | undefined {
  const attempts = payments.filter(({ step }) => step === 'recharge' || step === 'capture');
  const about = aboutOf(hold);
  if (hold.lostBecause === 'released') return holdReleasedText(about, hold.decision === 'released' ? 'here' : 'there');
  if (hold.status === 'lost') return holdLostText(about, attempts.at(-1)?.declineMessage ?? null);
  const step = attempts.find(({ status }) => status === 'succeeded')?.step;
  if (step === undefined) return capturedElsewhereText(about);
  if (hold.decision === 'released') return holdNotReleasedText(about, hold.capturedCents);
  const failed = attempts.some((payment) => payment.step === 'capture' && isCaptureFailure(payment));
  return failed ? holdTakenText(about, step === 'capture' ? 'capture' : 'recharge') : undefined;
}

const isCaptureFailure = ({ status, declineReason }: Payment): boolean =>
  status === 'declined' && !isHoldOver(declineReason) && !isAlreadyCaptured(declineReason);

/** What texts and events say of a hold, as of a payment. */
export const aboutOf = ({ orderId, amountCents, currency, test }: Hold) => ({
  ...{ orderId, amountCents, currency, test },
});

const noCard = { lastFour: null, wallet: null };

/** What the event of its end says. */
export function settledData(hold: Hold, payments: readonly Payment[], nowMs: number) {
  const result = holdResultOf(hold) as HoldResult & { status: 'settled' | 'lost' };
  const { orderId, currency, test } = hold;
  const { lastFour, wallet } = payments.find(({ id }) => id === hold.paymentId) ?? noCard;
  return { orderId, ...result, currency, lastFour, wallet, test, settledAt: new Date(nowMs).toISOString() };
}
