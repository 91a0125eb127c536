import type { EventData, RequestInput } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import {
  continuePayment,
  listPayments,
  type PaymentOutcome,
  type PaymentResource,
  paymentCompleted,
  startPayment,
} from '@app/contracts/payments';
import { connectNats } from '@app/messaging/connect';
import { onRequest, type RequestHandler, serveRequests } from '@app/messaging/serve-requests';
import { silentLogger } from '@app/service-kit/logger';
import type { TestNats } from '@app/testing/nats';
import { type Producers, startProducers } from '@app/testing/producers';

export type StartInput = RequestInput<typeof startPayment>;

/** One try to pay, as billing has it. */
export interface MadeTry {
  readonly accountId: string;
  readonly input: StartInput;
  outcome: PaymentOutcome;
}

/**
 * Billing as its contract says, without a processor: cards say how they end. `ok` and `action` (which asks for a
 * confirmation first) succeed, `declined` does not, `unknown` is not known until a test says so.
 */
export interface BillingStandIn {
  /** Every request to start a payment, repeated ones too. */
  readonly started: StartInput[];
  /** The tries it made, oldest first: each moved money at most once. */
  readonly tries: MadeTry[];
  /** Called before a start is worked on; a test makes it wait or throw. */
  beforeStart: (input: StartInput) => Promise<void>;
  /** Called when a payment was made, before it is answered; a test makes it wait for ever. */
  beforeAnswer: (input: StartInput) => Promise<void>;
  /** The buyer confirmed at the bank, or what became of an unknown try was found out. */
  finish(orderId: string, status: 'succeeded' | 'declined'): MadeTry;
  /** Publishes how a try ended. */
  publishCompleted(made: MadeTry): Promise<void>;
  readonly producers: Producers;
  readonly handlers: RequestHandler[];
  stop(): Promise<void>;
}

export async function startBillingStandIn(nats: TestNats, more: RequestHandler[] = []): Promise<BillingStandIn> {
  const producers = await startProducers(nats, ['billing']);
  const link = await connectNats(nats.login('billing'));
  const tries: MadeTry[] = [];
  const started: StartInput[] = [];
  const standIn = {
    started,
    tries,
    beforeStart: async () => undefined,
    beforeAnswer: async () => undefined,
    finish: (orderId: string, status: 'succeeded' | 'declined') => finish(tries, orderId, status),
    publishCompleted: (made: MadeTry) => publishCompleted(producers, made),
    producers,
    handlers: [
      onRequest(startPayment, async (input, { accountId }) => {
        started.push(input);
        await standIn.beforeStart(input);
        const outcome = start(tries, accountId, input);
        await standIn.beforeAnswer(input);
        return outcome;
      }),
      onRequest(continuePayment, async ({ orderId }) => confirm(tries, orderId)),
      onRequest(listPayments, async ({ orderId }, { accountId }) => ({
        data: tries.filter((made) => made.accountId === accountId && made.input.orderId === orderId).map(paymentLine),
      })),
      ...more,
    ],
    stop: async () => {
      await link.close();
      await producers.close();
    },
  } as BillingStandIn;
  const description = 'a billing service';
  await serveRequests(link, { version: '0.1.0', description, handlers: standIn.handlers, logger: silentLogger() });
  return standIn;
}

/** The rules of `payments.start`, in its docstring's order. */
function start(tries: MadeTry[], accountId: string, input: StartInput): PaymentOutcome {
  const ofOrder = tries.filter((made) => made.input.orderId === input.orderId);
  const success = ofOrder.find(({ outcome }) => outcome.status === 'succeeded' || outcome.status === 'held');
  if (success !== undefined) return success.outcome;
  const same = ofOrder.find(({ outcome }) => outcome.tryNo === input.tryNo);
  if (same !== undefined) return same.outcome;
  const open = ofOrder.find(({ outcome }) => outcome.status === 'processing');
  if (open !== undefined) return open.outcome;
  for (const { outcome } of ofOrder) {
    if (outcome.status === 'requires_action') Object.assign(outcome, { status: 'declined', action: null });
  }
  const made = { accountId, input, outcome: firstOutcome(input) };
  tries.push(made);
  return made.outcome;
}

function firstOutcome(input: StartInput): PaymentOutcome {
  const { tryNo, amountCents, paymentMethod } = input;
  const outcome = { paymentId: newId('payment', Date.now()), tryNo, amountCents, action: null, reason: null };
  if (paymentMethod === 'declined') return { ...outcome, status: 'declined', reason: 'card_declined' };
  if (paymentMethod === 'unknown') return { ...outcome, status: 'processing' };
  if (paymentMethod === 'action') {
    return { ...outcome, status: 'requires_action', action: { url: `https://bank.example/${outcome.paymentId}` } };
  }
  return { ...outcome, status: input.hold === null ? 'succeeded' : 'held' };
}

function finish(tries: MadeTry[], orderId: string, status: 'succeeded' | 'declined'): MadeTry {
  const made = tries.findLast(({ input }) => input.orderId === orderId);
  if (made === undefined) throw new Error(`no payment of ${orderId}`);
  const success = made.input.hold === null ? ('succeeded' as const) : ('held' as const);
  const reason = status === 'declined' ? ('card_declined' as const) : null;
  made.outcome = { ...made.outcome, status: status === 'succeeded' ? success : 'declined', action: null, reason };
  return made;
}

/** As `payments.continue`: the buyer of card `action` has confirmed by the time this is asked. */
function confirm(tries: MadeTry[], orderId: string): PaymentOutcome {
  const last = tries.findLast(({ input }) => input.orderId === orderId);
  if (last === undefined) throw new Error(`no payment of ${orderId}`);
  return last.outcome.status === 'requires_action' ? finish(tries, orderId, 'succeeded').outcome : last.outcome;
}

async function publishCompleted(producers: Producers, { accountId, input, outcome }: MadeTry): Promise<void> {
  const { status, paymentId, tryNo, amountCents, reason } = outcome;
  if (status === 'processing' || status === 'requires_action')
    throw new Error(`the payment is ${status}: nothing ended`);
  const occurredAt = new Date().toISOString();
  const data: EventData<typeof paymentCompleted> = {
    ...{ orderId: input.orderId, paymentId, tryNo, status, amountCents, currency: input.currency, reason },
    ...{ test: input.test, completedAt: occurredAt },
  };
  const id = newId('event', Date.now());
  await producers.publish(paymentCompleted, { id, accountId, occurredAt, data });
}

function paymentLine({ input, outcome }: MadeTry): PaymentResource {
  const status = outcome.status === 'held' ? 'succeeded' : outcome.status;
  const now = new Date().toISOString();
  return {
    id: outcome.paymentId,
    order_id: input.orderId,
    step: 'main',
    try_no: outcome.tryNo,
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
