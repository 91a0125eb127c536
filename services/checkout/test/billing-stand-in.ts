import { readBuyerTotals } from '@app/contracts/customers';
import type { EventData, EventDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { disputeRecorded } from '@app/contracts/disputes';
import { DomainError } from '@app/contracts/errors';
import { releaseHold } from '@app/contracts/hold-releases';
import { newId } from '@app/contracts/ids';
import {
  chargeRefunded,
  chargesRefunded,
  continuePayment,
  type HoldResult,
  holdSettled,
  listPayments,
  type PaymentResource,
  paymentCompleted,
  type RefundedPart,
  refundCharges,
  refundFailed,
  settleHold,
  startPayment,
} from '@app/contracts/payments';
import { connectNats } from '@app/messaging/connect';
import { onRequest, type RequestHandler, serveRequests } from '@app/messaging/serve-requests';
import { silentLogger } from '@app/service-kit/logger';
import { createArrivals } from '@app/testing/arrivals';
import { followProducers } from '@app/testing/followed-events';
import type { TestNats } from '@app/testing/nats';
import { type Producers, startProducers } from '@app/testing/producers';
import { onSimulatedSettings } from '@app/testing/simulated-settings';
import {
  confirm,
  finish,
  lastFour,
  lastOf,
  lookUp,
  type MadeAttempt,
  type StartInput,
  settlement,
  start,
} from './stand-in-payments.ts';

/**
 * Billing as its contract says, without a processor: cards say how they end. `ok` and `action` (which needs a
 * confirmation first) succeed, `declined` and `no-money` do not, `given-up` was not found at the processor, `unknown` is not known until a test says so. Of held cards
 * `no-upsell` declines the upsell, and `lost` neither captures nor charges.
 */
export interface BillingStandIn {
  /** Every request to start a payment, repeated ones too. */
  readonly started: readonly StartInput[];
  /** Resolves when so many requests to start a payment have come. */
  wasStarted(times: number): Promise<unknown>;
  /** The attempts it made, oldest first: each moved money at most once. */
  readonly attempts: MadeAttempt[];
  /** Called before a start is worked on, with how long its reply is waited for (milliseconds); a test makes it wait or throw. */
  beforeStart: (input: StartInput, waitsMs: number) => Promise<void>;
  /** Called before the payments of an order are listed; a test makes it throw. */
  beforeList: () => Promise<void>;
  /** Of attempts that are only looked up: the card that the processor charged; null where it never got them. */
  atProcessor: string | null;
  /** Called when a payment was made, before it is answered. */
  beforeAnswer: (input: StartInput) => Promise<void>;
  /** A copy of a request to start a payment arrives when no caller waits for its reply any more. */
  startLate(input: StartInput, accountId?: string): MadeAttempt;
  /** Called before a refund is worked on. */
  beforeRefund: (orderId: string) => Promise<void>;
  /** How refunds are answered. */
  refundStatus: 'refunded' | 'processing' | 'failed';
  /** Why refunds fail, where it is a dispute: billing's words. */
  refundDisputed: string | null;
  /** What billing says that it gave back, payment by payment; null: the whole amount of the order. */
  refundParts: RefundedPart[] | null;
  /** Whether a refund is answered while a renewal has no outcome. */
  renewalUnderWay: boolean;
  /** Of a refund that fails: what was given back all the same. */
  refundedBefore: number;
  /** Billing has no payment of the order, as after a backup was restored. */
  refundsNothing: boolean;
  /** Every question about the payments of an order, by its account. */
  readonly listsRequested: string[];
  /** What renewals and subscriptions of buyers come to; only of those that are asked about. */
  buyerTotals: RequestOutput<typeof readBuyerTotals>;
  /** Every request for a refund. */
  readonly refundRequests: RequestInput<typeof refundCharges>[];
  publishPart(orderId: string, part: RefundedPart): Promise<void>;
  publishDispute(orderId: string, fields?: Partial<EventData<typeof disputeRecorded>>): Promise<void>;
  /** Every request to settle a hold, by order. */
  readonly settlesRequested: string[];
  /** Whether a payment of a hold is not known yet when its settling is answered. */
  settling: boolean;
  /** Every request to release a hold. */
  readonly releasesRequested: RequestInput<typeof releaseHold>[];
  /** Whether the processor has not answered yet when a release is answered. */
  releasing: boolean;
  /** Called when a hold was released, before it is answered. */
  beforeReleased: () => Promise<void>;
  /** What the seller captured of holds at the processor; null: nothing. */
  capturedThere: number | null;
  /** Called when a hold was settled, before it is answered. */
  beforeSettled: () => Promise<void>;
  /** A decision on a hold: the first one counts. */
  settle(orderId: string, decision: HoldResult['decision']): HoldResult;
  /** A release of a hold, unless it is decided. */
  release(orderId: string): HoldResult;
  publishSettled(orderId: string): Promise<void>;
  publishRefunded(orderId: string, at?: Date): Promise<void>;
  /** @param attempt of the requested refund; the last one unless given */
  refundIdOf(orderId: string, attempt?: number): string;
  publishRefundFailed(
    orderId: string,
    at?: Date,
    refundId?: string,
    lost?: EventData<typeof refundFailed>['lost'],
  ): Promise<void>;
  /** The buyer confirmed at the bank, or what became of an unknown attempt was found out. */
  finish(orderId: string, status: 'succeeded' | 'declined'): MadeAttempt;
  /** Publishes how an attempt ended. */
  publishCompleted(made: MadeAttempt): Promise<void>;
  /** Resolves when the checkout service has handled every event that was published before. */
  handled(): Promise<void>;
  readonly producers: Producers;
  readonly handlers: RequestHandler[];
  /** Without payments, and as at its beginning, when checkout has handled every event. */
  reset(): Promise<void>;
  /** Resolves when the stand-in stops: who waits for it never answers. */
  readonly stopped: Promise<void>;
  stop(): Promise<void>;
}

const usualBehaviour = {
  settling: false,
  buyerTotals: { renewals: [], active: [] } as RequestOutput<typeof readBuyerTotals>,
  releasing: false,
  capturedThere: null,
  beforeReleased: async () => undefined,
  refundStatus: 'refunded' as const,
  refundDisputed: null,
  renewalUnderWay: false,
  refundedBefore: 0,
  refundsNothing: false,
  refundParts: null,
  atProcessor: null,
  beforeStart: async () => undefined,
  beforeList: async () => undefined,
  beforeAnswer: async () => undefined,
  beforeRefund: async () => undefined,
  beforeSettled: async () => undefined,
};

export async function startBillingStandIn(nats: TestNats, more: RequestHandler[] = []): Promise<BillingStandIn> {
  const producers = followProducers(await startProducers(nats, ['billing']), 'checkout');
  const link = await connectNats(nats.login('billing'));
  const attempts: MadeAttempt[] = [];
  const started = createArrivals<StartInput>();
  const settled = new Map<string, HoldResult>();
  const stopped = Promise.withResolvers<void>();
  const madeOf = (orderId: string): MadeAttempt => lastOf(attempts, orderId);
  const requestedAttempt = (orderId: string): number =>
    standIn.refundRequests.findLast((request) => request.orderId === orderId)?.attempt ?? 1;
  const partsOf = (orderId: string, cents: number): RefundedPart[] =>
    cents === 0 ? [] : [{ ...wholePart(madeOf(orderId), standIn.refundIdOf(orderId), new Date()), amountCents: cents }];
  const standIn = {
    started: started.list,
    wasStarted: (times: number) => started.wait(times, { what: 'requests to start a payment' }),
    attempts,
    listsRequested: [] as string[],
    refundRequests: [] as RequestInput<typeof refundCharges>[],
    settlesRequested: [] as string[],
    releasesRequested: [] as RequestInput<typeof releaseHold>[],
    ...usualBehaviour,
    settle: (orderId: string, decision: HoldResult['decision']) => {
      const decided = settled.get(orderId) ?? settlement(madeOf(orderId), decision);
      const { capturedThere } = standIn;
      const isPart = capturedThere !== null && decided.status === 'settled';
      const result = isPart ? { ...decided, capturedCents: capturedThere } : decided;
      settled.set(orderId, result);
      return result;
    },
    release: (orderId: string) => {
      const result = settled.get(orderId) ?? releasedHold;
      settled.set(orderId, result);
      return result;
    },
    publishSettled: (orderId: string) => publishSettled(producers, madeOf(orderId), settled.get(orderId)),
    publishRefunded: (orderId: string, at = new Date()) =>
      publishRefunded(
        producers,
        madeOf(orderId),
        at,
        standIn.refundParts ?? [wholePart(madeOf(orderId), standIn.refundIdOf(orderId), at)],
      ),
    publishPart: (orderId: string, part: RefundedPart) => publishPart(producers, madeOf(orderId), part),
    publishDispute: (orderId: string, fields: Partial<EventData<typeof disputeRecorded>> = {}) =>
      publishDispute(producers, madeOf(orderId), fields),
    publishRefundFailed: (
      orderId: string,
      at = new Date(),
      refundId?: string,
      lost?: EventData<typeof refundFailed>['lost'],
    ) =>
      publishRefundFailed(producers, madeOf(orderId), { at, refundId: refundId ?? standIn.refundIdOf(orderId), lost }),
    refundIdOf: (orderId: string, attempt = requestedAttempt(orderId)) => `refund ${attempt} of ${orderId}`,
    startLate: (input: StartInput, accountId = 'acc_1') => {
      start(attempts, accountId, input);
      return madeOf(input.orderId);
    },
    finish: (orderId: string, status: 'succeeded' | 'declined') => finish(attempts, orderId, status),
    publishCompleted: (made: MadeAttempt) => publishCompleted(producers, made),
    handled: producers.handled,
    producers,
    handlers: [
      onSimulatedSettings,
      onRequest(startPayment, async (input, { accountId, deadlineMs }) => {
        if (input.paymentMethod === null) return lookUp(attempts, accountId, input, standIn.atProcessor);
        started.push(input);
        await standIn.beforeStart(input, deadlineMs - Date.now());
        const outcome = start(attempts, accountId, input);
        await standIn.beforeAnswer(input);
        return outcome;
      }),
      onRequest(continuePayment, async ({ orderId }) => confirm(attempts, orderId)),
      onRequest(settleHold, async ({ orderId, decision }) => {
        standIn.settlesRequested.push(orderId);
        const result = standIn.settle(orderId, decision);
        await standIn.beforeSettled();
        return standIn.settling ? { ...result, status: 'settling' as const } : result;
      }),
      onRequest(releaseHold, async (input) => {
        standIn.releasesRequested.push(input);
        const { reason, ...result } = standIn.release(input.orderId);
        await standIn.beforeReleased();
        if (standIn.settling) return { ...result, status: 'settling' as const };
        if (standIn.releasing) return { ...result, status: 'settling' as const, releasing: true as const };
        return { ...result, ...(reason && { reason }) };
      }),
      onRequest(refundCharges, async (input) => {
        const { orderId } = input;
        standIn.refundRequests.push(input);
        await standIn.beforeRefund(orderId);
        requireAmount(input.expectedCents, () => madeOf(orderId).outcome.amountCents);
        const { refundDisputed } = standIn;
        const status = standIn.refundStatus;
        const whole = standIn.refundsNothing || input.chargedElsewhere ? 0 : madeOf(orderId).outcome.amountCents;
        const refundedCents = status === 'refunded' ? whole : standIn.refundedBefore;
        const detail = status === 'failed' ? (refundDisputed ?? 'The account has no balance.') : null;
        const { renewalUnderWay } = standIn;
        const refunds = standIn.refundParts ?? partsOf(orderId, refundedCents);
        const left =
          status === 'failed'
            ? { paymentId: madeOf(orderId).outcome.paymentId, amountCents: whole - refundedCents }
            : undefined;
        const refused = left && [{ ...left, detail }];
        const more = {
          ...(refused && { refused }),
          ...(renewalUnderWay && { renewalUnderWay }),
          ...disputedOf(refundDisputed),
        };
        return { status, refundedCents, detail, orderRefunded: status === 'refunded', refunds, ...more };
      }),
      onRequest(listPayments, async ({ orderId }, { accountId }) => {
        standIn.listsRequested.push(accountId);
        await standIn.beforeList();
        const ofOrder = attempts.filter((made) => made.accountId === accountId && made.input.orderId === orderId);
        return { data: ofOrder.map(paymentLine) };
      }),
      onRequest(readBuyerTotals, async ({ emailKeys }) => {
        const isWanted = ({ emailKey }: { readonly emailKey: string }) => emailKeys.includes(emailKey);
        const { renewals, active } = standIn.buyerTotals;
        return { renewals: renewals.filter(isWanted), active: active.filter(isWanted) };
      }),
      ...more,
    ],
    reset: async () => {
      await producers.handled();
      for (const list of [
        attempts,
        standIn.listsRequested,
        standIn.refundRequests,
        standIn.settlesRequested,
        standIn.releasesRequested,
      ])
        (list as unknown[]).length = 0;
      started.clear();
      settled.clear();
      Object.assign(standIn, usualBehaviour);
    },
    stopped: stopped.promise,
    stop: async () => {
      stopped.resolve();
      await link.close();
      await producers.close();
    },
  } as BillingStandIn;
  const description = 'a billing service';
  await serveRequests(link, { version: '0.1.0', description, handlers: standIn.handlers, logger: silentLogger() });
  return standIn;
}

const releasedHold: HoldResult = {
  ...{ status: 'lost', decision: 'not_decided', reason: 'released' },
  ...{ upsell: null, upsellDeclined: false, capturedCents: 0 },
};

/** As checkout learns of a reply that was lost: what was requested may have been done. */
export async function losesReply(): Promise<never> {
  throw Object.assign(new Error('the database of billing is away'), { code: 'ECONNREFUSED' });
}

async function publishCompleted(producers: Producers, { accountId, input, outcome }: MadeAttempt): Promise<void> {
  const { status, paymentId, attemptNo, amountCents, reason, ...card } = outcome;
  if (status === 'processing' || status === 'requires_action')
    throw new Error(`the payment is ${status}: nothing ended`);
  const occurredAt = new Date().toISOString();
  const data: EventData<typeof paymentCompleted> = {
    ...{ orderId: input.orderId, paymentId, attemptNo, status, amountCents, currency: input.currency, reason },
    ...{ lastFour: card.lastFour, decideBy: card.decideBy, processor: card.processor },
    ...{ test: input.test, completedAt: occurredAt },
  };
  await publish(producers, paymentCompleted, accountId, data);
}

async function publishSettled(
  producers: Producers,
  { accountId, input }: MadeAttempt,
  result: HoldResult | undefined,
): Promise<void> {
  if (result === undefined || result.status === 'settling') throw new Error('the hold is not settled');
  const settledAt = new Date().toISOString();
  const { orderId, currency, test } = input;
  const data: EventData<typeof holdSettled> = {
    ...{ ...result, status: result.status, orderId, currency, lastFour, test, settledAt },
  };
  await publish(producers, holdSettled, accountId, data);
}

async function publishPart(
  producers: Producers,
  { accountId, input }: MadeAttempt,
  refund: RefundedPart,
): Promise<void> {
  const { orderId, currency, test } = input;
  await publish(producers, chargeRefunded, accountId, {
    orderId,
    refund,
    currency,
    test,
    refundedAt: refund.refundedAt,
  });
}

const disputedOf = (detail: string | null) => (detail === null ? {} : { disputed: true as const });

async function publishDispute(
  producers: Producers,
  { accountId, input: { orderId, amountCents, currency, test } }: MadeAttempt,
  fields: Partial<EventData<typeof disputeRecorded>>,
): Promise<void> {
  const about = { orderId, disputeId: 'du_1', paymentId: 'pmt_1', subscriptionId: null, amountCents, currency, test };
  const openedAt = '2026-03-15T12:00:00.000Z';
  const why = { reason: 'fraudulent', evidenceDueBy: '2026-03-29T23:59:59.000Z', openedAt };
  await publish(producers, disputeRecorded, accountId, { ...about, ...why, end: null, givenBack: null, ...fields });
}

async function publishRefunded(
  producers: Producers,
  { accountId, input }: MadeAttempt,
  at: Date,
  refunds: RefundedPart[],
): Promise<void> {
  const { orderId, currency, test, amountCents } = input;
  const about = { orderId, currency, test, refundedAt: at.toISOString() };
  await publish(producers, chargesRefunded, accountId, { ...about, refundedCents: amountCents, refunds });
}

function wholePart(
  { outcome: { paymentId, amountCents } }: MadeAttempt,
  refundId: string,
  refundedAt: Date,
): RefundedPart {
  const of = { refundId, paymentId, amountCents, chargedCents: amountCents };
  return { ...of, subscriptionId: null, period: null, refundedAt: refundedAt.toISOString() };
}

async function publishRefundFailed(
  producers: Producers,
  { accountId, input }: MadeAttempt,
  {
    at,
    refundId: paymentId,
    lost,
  }: {
    readonly at: Date;
    readonly refundId: string;
    readonly lost: EventData<typeof refundFailed>['lost'];
  },
): Promise<void> {
  const { orderId, currency, test, amountCents } = input;
  const detail = 'The buyer’s account is closed.';
  const about = { orderId, paymentId, amountCents, currency, detail, test, failedAt: at.toISOString() };
  await publish(producers, refundFailed, accountId, { ...about, ...(lost && { lost }) });
}

async function publish<E extends EventDefinition>(
  producers: Producers,
  definition: E,
  accountId: string,
  data: EventData<E>,
): Promise<void> {
  const occurredAt = new Date().toISOString();
  await producers.publish(definition, { id: newId('event', Date.now()), accountId, occurredAt, data });
}

function paymentLine({ input, outcome }: MadeAttempt): PaymentResource {
  const status = outcome.status === 'held' ? 'succeeded' : outcome.status;
  const now = new Date().toISOString();
  return {
    id: outcome.paymentId,
    order_id: input.orderId,
    step: 'main',
    try_no: outcome.attemptNo,
    amount_cents: outcome.amountCents,
    currency: input.currency,
    status: status === 'processing' ? 'unknown' : status,
    reason: outcome.reason,
    explanation: 'It was tried.',
    next: null,
    processor: 'simulated',
    processor_reference: null,
    product_name: input.productName,
    customer_email: input.customerEmail,
    last_four: null,
    test: input.test,
    created_at: now,
    finished_at: now,
  };
}

function requireAmount(expectedCents: number | undefined, amountOf: () => number): void {
  if (expectedCents === undefined) return;
  const amountCents = amountOf();
  if (expectedCents !== amountCents) throw new DomainError('amount_changed', `${amountCents} would go back now.`);
}
