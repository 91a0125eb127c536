import { type DisputeOutcome, disputeRecorded } from '@app/contracts/disputes';
import type { RefundedPart } from '@app/contracts/payments';
import { notifyOnce } from '@app/messaging/notify-once';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import type { Client } from '@app/service-kit/database';
import { hurryRenewalsStatement } from '../charging/hurry-renewals.ts';
import type { Dispute } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { noticeEvent, type PaymentEventSource } from '../charging/payment-notices.ts';
import { recordFees } from '../fees/record-fees.ts';
import type { ProcessorDispute } from '../processors/port.ts';
import { addGivenBack } from '../refunds/add-given-back.ts';
import { endOfRefundedOrder, lockOrderFirst } from '../subscriptions/cancel-refunded.ts';
import { continueUndisputed } from '../subscriptions/continue-undisputed.ts';
import { type DisputeDecision, decideDispute, lostByOther } from './dispute.rules.ts';
import {
  type DisputedCharge,
  type DisputeScope,
  findOrder,
  hasOpenRefund,
  lockCharges,
  readDispute,
  readOtherLost,
  writeDispute,
  writeLoss,
} from './dispute-rows.ts';
import { closedText, escalatedText, openedText, reversedText } from './dispute-texts.rules.ts';

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
    await lockOrderFirst(client, scope.accountId, orderId);
    // Another recording of a dispute of the order waits here, and then finds what this one wrote.
    const charges = await lockCharges(client, scope.accountId, orderId);
    const charge = charges.find(
      ({ reference, processor, test }) =>
        reference === read.about && processor === scope.processor && test === scope.test,
    );
    if (charge === undefined) return undefined;
    if (!scope.test) await recordFees(client, feesOf(scope, read, charge));
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

const feesOf = (
  { accountId }: DisputeScope,
  { reference, openedAt, fees = [] }: ProcessorDispute,
  charge: DisputedCharge,
) =>
  fees.map(({ amountCents, currency }) => ({
    account_id: accountId,
    charge_id: charge.id,
    kind: 'dispute' as const,
    reference,
    amount_cents: amountCents,
    currency,
    incurred_at: openedAt,
  }));

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
  const byOther = decision.takenBackCents > 0 ? await takeBack(client, change) : null;
  if (decision.lostCents > 0) await writeLoss(client, scope.accountId, charge.id, decision.lostCents);
  await followOnSubscription(client, change);
  const events = eventsOf(change, byOther);
  if (events.length > 0) await client.query(insertOutboxSql, [JSON.stringify(events)]);
  const notifications = noticesOf(change).map(({ what, text }) => ({
    accountId: scope.accountId,
    key: `dispute ${what} ${scope.processor} ${read.reference}`,
    event: noticeEvent({ orderId: charge.orderId, test: charge.test }, text, source),
  }));
  if (notifications.length > 0) await notifyOnce(client, notifications, { now: new Date(source.nowMs) });
}

const rowOf = ({ scope, read, charge, decision }: Change, closedAt: Date | null): Dispute => ({
  processor: scope.processor,
  test: scope.test,
  reference: read.reference,
  payment_id: charge.id,
  order_id: charge.orderId,
  amount_cents: read.amountCents,
  currency: read.currency,
  reason: read.reason,
  status: read.status,
  refundable: read.refundable,
  evidence_due_by: read.evidenceDueBy,
  opened_at: read.openedAt,
  closed_at: closedAt,
  lost_cents: decision.takenCents,
  given_back_cents: decision.lostCents,
});

/**
 * The charge has again what a reversed dispute gave back of it, except for what another lost dispute of the charge takes in its place.
 * @returns what that one gives back then; null where it is nothing
 */
async function takeBack(
  client: Client,
  { scope, read, charge, decision, source }: Change,
): Promise<RefundedPart | null> {
  const { accountId } = scope;
  const without = { ...charge, lostCents: charge.lostCents - decision.takenBackCents };
  const others = await readOtherLost(client, accountId, charge, read.reference);
  const cents = lostByOther(
    without,
    others.reduce((sum, { lost_cents }) => sum + lost_cents, 0),
  );
  await writeLoss(client, accountId, charge.id, cents - decision.takenBackCents);
  const [last] = others;
  if (last === undefined || cents === 0) return null;
  const { reference } = last;
  await addGivenBack(client, { accountId, orderId: charge.orderId, reference }, cents);
  // The dispute's own id is that of what it took before.
  return lossOf(charge, `${reference}/${read.reference}`, cents, new Date(source.nowMs).toISOString());
}

/**
 * An open dispute lets the charges of the subscription wait, a lost one ends it, whatever it took of the order or a renewal; after
 * any other end they go on.
 */
async function followOnSubscription(client: Client, { scope, charge, decision, source }: Change): Promise<void> {
  const { accountId } = scope;
  const { orderId } = charge;
  const now = new Date(source.nowMs);
  if (decision.closed === 'lost') {
    const lost = { account_id: accountId, order_id: orderId, refunded_at: now, by_dispute: true };
    await endOfRefundedOrder(client, lost);
  } else if (decision.closed === null) {
    await client.query(hurryRenewalsStatement([[accountId], [orderId]]));
  } else if (!decision.opened && decision.takenBackCents === 0) {
    await continueUndisputed(client, { accountId, orderId }, now);
  }
}

/** @param byOther what another dispute gives back in place of this one */
function eventsOf({ read, charge, decision, source }: Change, byOther: RefundedPart | null) {
  const closedAt = new Date(source.nowMs).toISOString();
  const about = {
    orderId: charge.orderId,
    disputeId: read.reference,
    paymentId: charge.id,
    subscriptionId: charge.subscriptionId,
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
    const isLoss = outcome === 'lost' && decision.lostCents > 0;
    const givenBack = isLoss ? lossOf(charge, read.reference, decision.lostCents, closedAt) : byOther;
    const { takenBackCents } = decision;
    const takenBack = takenBackCents > 0 ? { takenBack: { amountCents: takenBackCents } } : {};
    return outboxRow(disputeRecorded, { ...about, end, givenBack, ...takenBack }, source);
  });
}

const lossOf = (charge: DisputedCharge, refundId: string, amountCents: number, refundedAt: string): RefundedPart => ({
  refundId,
  paymentId: charge.id,
  amountCents,
  chargedCents: charge.amountCents,
  subscriptionId: charge.subscriptionId,
  period: charge.period,
  refundedAt,
});

function noticesOf({ read, charge, decision }: Change): { readonly what: string; readonly text: string }[] {
  const { opened, closed, escalated, takenBackCents } = decision;
  if (takenBackCents > 0) return [{ what: 'reversed', text: reversedText(read, charge, takenBackCents) }];
  return [
    ...(opened ? [{ what: 'opened', text: openedText(read, charge) }] : []),
    ...(escalated ? [{ what: 'escalated', text: escalatedText(read, charge) }] : []),
    ...(closed === null ? [] : [{ what: 'closed', text: closedText(read, charge, closed) }]),
  ];
}
