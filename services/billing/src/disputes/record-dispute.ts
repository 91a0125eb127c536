import { type DisputeOutcome, disputeRecorded } from '@app/contracts/disputes';
import type { RefundedPart } from '@app/contracts/payments';
import { notifyOnce } from '@app/messaging/notify-once';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import type { Client } from '@app/service-kit/database';
import type { Charge, Dispute } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { noticeEvent, type PaymentEventSource } from '../charging/payment-events.ts';
import type { ProcessorDispute } from '../processors/port.ts';
import { restOf } from '../refunds/refund.rules.ts';
import { cancelOfLostOrder } from '../subscriptions/cancel-refunded.ts';
import { type DisputeDecision, decideDispute } from './dispute.rules.ts';
import {
  type DisputedCharge,
  type DisputeScope,
  findOrder,
  hasOpenRefund,
  lockCharges,
  readDispute,
  writeDispute,
  writeLoss,
} from './dispute-rows.ts';
import { closedText, escalatedText, openedText } from './dispute-texts.rules.ts';

/**
 * Records a dispute as its processor shows it: the row, what a lost one takes of the charge and ends of the order, the events and
 * what the seller reads, in one transaction. It may come again, at the same time and in any order.
 * @returns false where no charge here has the dispute's reference, or a refund of it has no outcome that counts before the loss
 */
export async function recordDispute(deps: PaymentDeps, scope: DisputeScope, read: ProcessorDispute): Promise<boolean> {
  const { database, clock, wakeRelay } = deps;
  const orderId = await findOrder(database.pool, scope.accountId, read);
  if (orderId === null) return false;
  const source = { accountId: scope.accountId, requestId: null, nowMs: clock.nowMs() };
  const written = await database.transaction(async (client) => {
    // Another recording of a dispute of the order waits here, and then finds what this one wrote.
    const charges = await lockCharges(client, scope.accountId, orderId);
    const charge = charges.find(
      ({ reference, processor, test }) =>
        reference === read.about && processor === scope.processor && test === scope.test,
    );
    if (charge === undefined) return undefined;
    const stored = await readDispute(client, scope, read.reference);
    const decision = decideDispute(stored, read, charge);
    if (!decision.changed) return false;
    if (decision.takenCents > 0 && (await hasOpenRefund(client, scope.accountId, charge))) return undefined;
    await writeAll(client, { scope, read, charge, charges, decision, source });
    return true;
  });
  if (written === true) wakeRelay();
  return written !== undefined;
}

interface Change {
  readonly scope: DisputeScope;
  readonly read: ProcessorDispute;
  readonly charge: DisputedCharge;
  /** Of the order and its renewals, the disputed one among them. */
  readonly charges: readonly DisputedCharge[];
  readonly decision: DisputeDecision;
  readonly source: PaymentEventSource;
}

async function writeAll(client: Client, change: Change): Promise<void> {
  const { scope, read, charge, decision, source } = change;
  const closedAt = decision.closed === null ? null : new Date(source.nowMs);
  await writeDispute(client, scope, rowOf(change, closedAt));
  if (decision.lostCents > 0) await takeLoss(client, change);
  const events = eventsOf(change);
  if (events.length > 0) await client.query(insertOutboxSql, [JSON.stringify(events)]);
  const notifications = noticesOf(change).map(({ what, text }) => ({
    accountId: scope.accountId,
    key: `dispute ${what} ${scope.processor} ${read.reference}`,
    event: noticeEvent({ order_id: charge.order_id, test: charge.test }, text, source),
  }));
  if (notifications.length > 0) await notifyOnce(client, notifications, { now: new Date(source.nowMs) });
}

const rowOf = ({ scope, read, charge, decision }: Change, closedAt: Date | null): Dispute => ({
  processor: scope.processor,
  test: scope.test,
  reference: read.reference,
  payment_id: charge.id,
  order_id: charge.order_id,
  amount_cents: read.amountCents,
  currency: read.currency,
  reason: read.reason,
  status: read.status,
  refundable: read.refundable,
  evidence_due_by: read.evidenceDueBy,
  opened_at: read.openedAt,
  closed_at: closedAt,
  lost_cents: decision.takenCents,
});

/** As with a refund, the subscription ends once all of the order's own money went back; the loss of a renewal ends nothing. */
async function takeLoss(client: Client, { scope, charge, charges, decision, source }: Change): Promise<void> {
  await writeLoss(client, scope.accountId, charge.id, decision.lostCents);
  const isOwn = (one: Charge): boolean => one.step !== 'renewal';
  const left = charges.filter(isOwn).reduce((sum, one) => sum + restOf(one), 0);
  if (!isOwn(charge) || left > decision.lostCents) return;
  const lost = { account_id: scope.accountId, order_id: charge.order_id, refunded_at: new Date(source.nowMs) };
  await cancelOfLostOrder(client, lost);
}

function eventsOf({ read, charge, decision, source }: Change) {
  const closedAt = new Date(source.nowMs).toISOString();
  const about = {
    orderId: charge.order_id,
    disputeId: read.reference,
    paymentId: charge.id,
    subscriptionId: charge.subscription_id,
    amountCents: read.amountCents,
    currency: read.currency,
    reason: read.reason,
    evidenceDueBy: read.evidenceDueBy?.toISOString() ?? null,
    openedAt: read.openedAt.toISOString(),
    test: charge.test,
  };
  const ends: readonly (DisputeOutcome | null)[] = [
    ...(decision.opened ? [null] : []),
    ...(decision.closed === null ? [] : [decision.closed]),
  ];
  return ends.map((outcome) => {
    const end = outcome === null ? null : { outcome, closedAt };
    const givenBack = outcome === 'lost' && decision.lostCents > 0 ? lossOf(charge, read, decision, closedAt) : null;
    return outboxRow(disputeRecorded, { ...about, end, givenBack }, source);
  });
}

const lossOf = (
  charge: DisputedCharge,
  { reference }: ProcessorDispute,
  { lostCents }: DisputeDecision,
  refundedAt: string,
): RefundedPart => ({
  refundId: reference,
  paymentId: charge.id,
  amountCents: lostCents,
  chargedCents: charge.amount_cents,
  subscriptionId: charge.subscription_id,
  period: charge.period,
  refundedAt,
});

function noticesOf({ read, charge, decision }: Change): { readonly what: string; readonly text: string }[] {
  const { opened, closed, escalated } = decision;
  return [
    ...(opened ? [{ what: 'opened', text: openedText(read, charge) }] : []),
    ...(escalated ? [{ what: 'escalated', text: escalatedText(read, charge) }] : []),
    ...(closed === null ? [] : [{ what: 'closed', text: closedText(read, charge, closed) }]),
  ];
}
