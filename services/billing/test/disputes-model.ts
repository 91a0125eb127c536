import { expect } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { listOrderDisputes } from '../src/disputes/dispute-rows.ts';
import { recordDispute } from '../src/disputes/record-dispute.ts';
import type { ProcessorDispute } from '../src/processors/port.ts';
import { disputeOf } from '../src/processors/stripe/stripe-disputes.ts';
import { recordFoundRefund } from '../src/reconciliation/unmatched-payments/record-found-refund.ts';
import { reopenCharges } from '../src/refunds/reopen-charges.ts';
import { newAccount, type Replica, type Replicas } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { StripeBooks } from './stripe/books.ts';
import type { Dispute, PaymentIntent, Refund } from './stripe/objects.ts';
import { StripeNo } from './stripe/stripe-error.ts';

export const priceCents = 4_900;

/** What seller, bank and network may do, in any order; `which` chooses among the refunds or disputes that there are. */
export type MoneyAct =
  | { readonly kind: 'refund' | 'dispute' | 'inquiry'; readonly cents: number }
  | { readonly kind: 'refund fails'; readonly which: number }
  | { readonly kind: 'dispute goes on'; readonly which: number; readonly status: string; readonly keptCents: number }
  /** The bank reverses a dispute that was lost. */
  | { readonly kind: 'bank reverses'; readonly which: number }
  /** An earlier reading of a dispute arrives late. */
  | { readonly kind: 'read late'; readonly which: number };

const inquiry = { status: 'warning_needs_response', is_charge_refundable: true };
const ended = new Set(['won', 'lost', 'prevented', 'warning_closed']);

/** An order that was charged once, beside Stripe's books of that charge: each act is done there and then recorded here. */
export async function openDisputedOrder(replicas: Replicas, [replica, other]: readonly [Replica, Replica]) {
  const account = newAccount();
  const input = startInput();
  const { orderId } = input;
  await startPayment(replica.deps, { accountId: account, requestId: 'r' }, input);
  const charge = async () => (await replicas.money(account, orderId)).charges[0];
  const { id: paymentId = '', reference: about = '' } = (await charge()) ?? {};
  const books = new StripeBooks('1A', () => Math.floor(replicas.clock.nowMs() / 1_000));
  const metadata = {
    funnelry_account: account,
    funnelry_payment: paymentId,
    funnelry_call: 'charge',
    funnelry_order: orderId,
  };
  const intent = books.pay(
    { amount: priceCents, currency: 'usd', payment_method: 'pm_card_visa', capture_method: 'automatic', metadata },
    () => '',
  );
  const readings: ProcessorDispute[] = [];
  const scope = { accountId: account, processor: 'simulated', test: false };
  const record = async (read: ProcessorDispute): Promise<void> => {
    await Promise.all([replica, other].map(({ deps }) => recordDispute(deps, scope, read)));
  };
  const readAndRecord = async (dispute: Dispute): Promise<void> => {
    const shown = structuredClone({ ...dispute, payment_intent: intent });
    const read = disputeOf(shown as never, { accountId: account } as never) as ProcessorDispute;
    readings.push({ ...read, about });
    await record({ ...read, about });
  };
  const refunds = () => books.all<Refund>('refund').filter(({ status }) => status !== 'failed');
  const acts: { readonly [Kind in MoneyAct['kind']]: (act: Extract<MoneyAct, { kind: Kind }>) => Promise<void> } = {
    refund: async ({ cents }) => {
      const made = takenBy(() => books.refund({ payment_intent: intent.id, amount: cents }));
      if (made === undefined) return;
      const { id: reference, amount: amountCents } = made;
      const money = { about, amountCents, currency: 'usd', recordedAt: replicas.clock.now() };
      const found = {
        ...money,
        reference,
        paymentId: null,
        orderId,
        kind: 'refund',
        status: 'succeeded',
        message: null,
      } as const;
      expect(await recordFoundRefund(replica.deps, { accountId: account, processor: 'simulated' }, found)).toBe(
        'recorded',
      );
    },
    'refund fails': async ({ which }) => {
      const failing = refunds().at(which % Math.max(1, refunds().length));
      if (failing === undefined) return;
      books.failRefund(failing.id);
      const { payments } = await replicas.money(account, orderId);
      const own = payments.find(({ processorReference }) => processorReference === failing.id);
      if (own === undefined) throw new Error('the refund was not recorded');
      await Promise.all([replica, other].map(({ deps }) => reopenCharges(deps, { ...own, message: null })));
    },
    dispute: async ({ cents }) => readAndRecord(books.dispute(intent.id, { amount: cents })),
    inquiry: async ({ cents }) => readAndRecord(books.dispute(intent.id, { amount: cents, ...inquiry })),
    'dispute goes on': async ({ which, status, keptCents }) => {
      const open = books.all<Dispute>('dispute').filter((one) => !ended.has(one.status));
      const dispute = open.at(which % Math.max(1, open.length));
      // An inquiry becomes a dispute, and no dispute an inquiry.
      if (dispute === undefined || (status === 'warning_closed' && !dispute.status.startsWith('warning'))) return;
      const isKept = status === 'prevented' || status === 'warning_closed';
      books.disputeBecomes(dispute.id, status, isKept ? Math.min(keptCents, dispute.amount) : 0);
      await readAndRecord(dispute);
    },
    'bank reverses': async ({ which }) => {
      const lost = books.all<Dispute>('dispute').filter(({ status }) => status === 'lost');
      const dispute = lost.at(which % Math.max(1, lost.length));
      if (dispute === undefined) return;
      books.disputeBecomes(dispute.id, 'won');
      await readAndRecord(dispute);
    },
    'read late': async ({ which }) => {
      const late = readings.at(which % Math.max(1, readings.length));
      if (late !== undefined) await record(late);
    },
  };
  return {
    act: async (act: MoneyAct): Promise<void> => await acts[act.kind](act as never),
    /** What billing recorded and published is what Stripe's books say, and never more than the charge. */
    expectEqual: async (): Promise<void> => {
      const refundedCents = refunds().reduce((sum, { amount }) => sum + amount, 0);
      const takenCents = books.takenOf((intent as PaymentIntent).latest_charge ?? '');
      const lostCents = Math.min(takenCents, priceCents - refundedCents);
      expect(await charge()).toMatchObject({ refundedCents: refundedCents, lostCents: lostCents });
      const events = await replicas.events(account);
      expect(events.reduce((sum, { data }) => sum + givenBackBy(data as EventMoney), 0)).toBe(
        refundedCents + lostCents,
      );
      const parts = events.flatMap(({ data }) => partsOf(data as EventMoney).map(({ refundId }) => refundId));
      expect(new Set(parts).size).toBe(parts.length);
      const atOrder = await listOrderDisputes(replica.deps.database, account, orderId, 100);
      const outcomes = events.flatMap(({ data: { disputeId, end } }) =>
        disputeId === undefined ? [] : [`${disputeId} ${(end as { outcome: string } | null)?.outcome ?? 'opened'}`],
      );
      const reversed = new Set(events.flatMap(({ data }) => (data.takenBack === undefined ? [] : [data.disputeId])));
      const expected = atOrder.flatMap(({ id, outcome }) => [
        `${id} opened`,
        ...(outcome === null ? [] : [`${id} ${outcome}`]),
        ...(reversed.has(id) ? [`${id} lost`] : []),
      ]);
      expect(outcomes.toSorted()).toEqual(expected.toSorted());
    },
  };
}

interface Part {
  readonly refundId: string;
  readonly amountCents: number;
}
/** As far as events of billing say what went back: of a refund, a lost dispute, a refund that failed. */
interface EventMoney {
  readonly refund?: Part;
  readonly givenBack?: Part | null;
  readonly lost?: { readonly givenBack: Part };
  readonly failedAt?: string;
  readonly takenBack?: { readonly amountCents: number };
  readonly amountCents?: number;
}

const partsOf = ({ refund, givenBack, lost }: EventMoney): Part[] =>
  [refund, givenBack, lost?.givenBack].filter((part) => part !== undefined && part !== null);

const givenBackBy = (data: EventMoney): number =>
  partsOf(data).reduce((sum, { amountCents }) => sum + amountCents, 0) -
  (data.failedAt === undefined ? 0 : (data.amountCents ?? 0)) -
  (data.takenBack?.amountCents ?? 0);

/** Undefined where Stripe refuses. */
function takenBy<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (err) {
    if (!(err instanceof StripeNo)) throw err;
    return undefined;
  }
}
