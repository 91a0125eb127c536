import { isId } from '@app/contracts/ids';
import type { PaymentRequest, ProcessorRecord } from '../processors/port.ts';

/** What a processor did, as one of its records, an answer or an event tells it. `recordedAt` is the processor's time. */
export type Fact = Omit<ProcessorRecord, 'kind' | 'recordedAt' | 'fees' | 'dispute'> & {
  readonly kind: Exclude<ProcessorRecord['kind'], 'method' | 'dispute'>;
  readonly recordedAt: Date | null;
};

/** As the column has it. A charge that waits for its buyer took nothing, and may still. */
export type FactKind = 'charge_failed' | 'refund_failed' | 'charge_waiting' | Fact['kind'];

/** How a fact is written; null for what moved nothing, as a decline. */
export function factKindOf({ kind, status }: Pick<Fact, 'kind' | 'status'>): FactKind | null {
  if (status === 'succeeded') return kind;
  if (status === 'requires_action') return kind === 'charge' ? 'charge_waiting' : null;
  if (status === 'declined' || kind === 'hold' || kind === 'release') return null;
  return kind === 'refund' ? 'refund_failed' : 'charge_failed';
}

/** The fact of a record; undefined where no money moved: of a card that was saved, a decline, and a dispute, which is recorded of its charge. */
export function factOf({ fees: _, dispute: __, kind, ...record }: ProcessorRecord): Fact | undefined {
  if (kind === 'method' || kind === 'dispute') return undefined;
  return factKindOf({ kind, status: record.status }) === null ? undefined : { ...record, kind };
}

/** Whether it names a payment of this platform. Who else writes to the processor's account may put any other text there, which says nothing. */
export const namesPayment = <Named extends { readonly paymentId: string | null }>(
  fact: Named,
): fact is Named & { readonly paymentId: string } => fact.paymentId !== null && isId('payment', fact.paymentId);

/** Whether it moved or holds money under an id of this platform: its payment is to be in this database. */
export const isOfOurs = (fact: Fact): boolean =>
  namesPayment(fact) && fact.status === 'succeeded' && fact.kind !== 'release';

/** A payment of which it is told that it succeeded. */
export type SentPayment = PaymentRequest & {
  readonly id: string;
  readonly orderId: string;
  readonly amountCents: number;
  readonly currency: string;
};

/** The fact that a payment succeeded; undefined for a card that was saved. */
export function successOf(payment: SentPayment, reference: string): Fact | undefined {
  const { call, id: paymentId, orderId, amountCents, currency } = payment;
  if (call === 'saveMethod') return undefined;
  const about = call === 'capture' || call === 'refund' || call === 'release' ? payment.request.reference : null;
  const kind = call === 'authorize' ? 'hold' : call === 'chargeSaved' ? 'charge' : call;
  const of = { paymentId, orderId, about, amountCents, currency };
  return { ...of, reference, kind, status: 'succeeded', recordedAt: null, message: null };
}

/** What a record is whose fact was written so. */
export function recordKindOf(kind: FactKind): Pick<Fact, 'kind' | 'status'> {
  switch (kind) {
    case 'charge_waiting':
      return { kind: 'charge', status: 'requires_action' };
    case 'charge_failed':
      return { kind: 'charge', status: 'failed' };
    case 'refund_failed':
      return { kind: 'refund', status: 'failed' };
    default:
      return { kind, status: 'succeeded' };
  }
}
