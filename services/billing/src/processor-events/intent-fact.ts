import { fromStripeAmount } from '@app/money/stripe-amounts';
import { z } from 'zod';
import type { Fact } from '../ledger/facts.rules.ts';
import { markOf, releaseReference } from '../processors/stripe/stripe-objects.ts';

/** What all versions of Stripe's API have of an intent; where the charge stands differs. What no row could hold is none. */
const intentShape = z.object({
  id: z.string().regex(/^pi_\w{1,200}$/),
  amount: z.int(),
  amount_received: z.int(),
  currency: z.string().regex(/^[a-z]{3}$/),
  capture_method: z.string(),
  latest_charge: z
    .string()
    .regex(/^ch_\w{1,200}$/)
    .nullish()
    .catch(null),
  metadata: z.record(z.string(), z.string()),
});

/**
 * What the event of an intent tells: the event is signed, so it is Stripe's word. It is the same fact as the list's, under the same
 * reference. Undefined for other money, for what moves none, and for what an older version does not say.
 */
export function intentFactOf(
  accountId: string,
  event: { readonly type: string; readonly createdS: number; readonly object: unknown },
): Fact | undefined {
  const intent = intentShape.safeParse(event.object).data;
  const mark = intent && markOf({ accountId }, intent.metadata);
  if (intent === undefined || mark === undefined) return undefined;
  const { id, currency, latest_charge: chargeId } = intent;
  const money = (amount: number) => ({ amountCents: fromStripeAmount(amount, currency), currency });
  const { paymentId, orderId, captureId } = mark;
  const recordedAt = new Date(event.createdS * 1_000);
  const of = { orderId, status: 'succeeded', recordedAt, message: null } as const;
  const isHold = intent.capture_method === 'manual';
  switch (event.type) {
    case 'payment_intent.amount_capturable_updated':
      return { ...of, ...money(intent.amount), reference: id, paymentId, kind: 'hold', about: null };
    case 'payment_intent.canceled':
      return {
        ...of,
        ...money(intent.amount),
        reference: releaseReference(id),
        paymentId: null,
        kind: 'release',
        about: id,
      };
    case 'payment_intent.succeeded': {
      const taken = money(intent.amount_received);
      if (!isHold) return { ...of, ...taken, reference: id, paymentId, kind: 'charge', about: null };
      if (typeof chargeId !== 'string') return undefined;
      return { ...of, ...taken, reference: `${id}/${chargeId}`, paymentId: captureId, kind: 'capture', about: id };
    }
    default:
      return undefined;
  }
}
