import { listOrderCommissions } from '@app/contracts/affiliates';
import { listAutomations } from '@app/contracts/automations';
import type { RequestOutput } from '@app/contracts/define';
import { getOrder } from '@app/contracts/orders';
import { listRefundable } from '@app/contracts/payments';
import type { CallContext, Requester } from '@app/messaging/requester';
import { z } from 'zod';

/** What a refund of an order would do now. */
export const refundPreview = z
  .object({
    orderId: z.string(),
    possible: z
      .boolean()
      .describe(
        'False for an order whose card is only held, while a payment without an outcome keeps the refund back, and while a ' +
          'payment of the order is disputed.',
      ),
    charges: z
      .array(
        z.object({
          paymentId: z.string(),
          renewal: z.boolean(),
          amountCents: z.int().describe('What it took.'),
          refundedCents: z.int().describe('What went back of it before, by refunds and lost disputes.'),
          refundCents: z.int().describe('What would go back now.'),
          currency: z.string(),
        }),
      )
      .describe('Empty for an order that was only recorded: no money moves for it.'),
    subscription: z.object({ id: z.string(), status: z.string() }).nullable().describe('The one that would end.'),
    commissions: z.array(
      z.object({
        affiliateCode: z.string(),
        renewal: z.boolean(),
        amountCents: z.int().describe('What would be voided, or taken back in the next payout.'),
        currency: z.string(),
      }),
    ),
    emails: z.array(z.object({ name: z.string(), to: z.enum(['buyer', 'seller']) })),
    webhooks: z.array(z.object({ event: z.string(), count: z.int() })),
  })
  .meta({ id: 'RefundPreview' });
type Preview = z.infer<typeof refundPreview>;

/**
 * Reads what a refund of an order would do; nothing is changed.
 * @throws DomainError order_not_found
 */
export async function previewRefund(
  requester: Requester,
  { orderId, renewals }: { readonly orderId: string; readonly renewals: boolean },
  context: CallContext,
): Promise<Preview> {
  const order = await requester.request(getOrder, { orderId }, context);
  const [refundable, commissions, automations] = await Promise.all([
    requester.request(listRefundable, { orderId, renewals }, context),
    requester.request(listOrderCommissions, { orderId }, context),
    requester.request(listAutomations, {}, context),
  ]);
  const charges = chargesOf(refundable, renewals);
  const ends = order.status === 'paid' && refundable.subscription?.status !== 'canceled';
  const subscription = ends ? refundable.subscription : null;
  const webhooks = webhooksOf(order.status === 'paid', charges, subscription !== null);
  const events = new Set(webhooks.map(({ event }) => event));
  return {
    orderId,
    possible: order.status !== 'authorized' && !refundable.waits && !isDisputed(refundable),
    charges,
    subscription,
    webhooks,
    commissions: commissions.data.filter((each) => renewals || !each.renewal),
    emails: automations.data.flatMap(({ active, available, event, name, product_id, action }) => {
      const isSent = active && available && events.has(event) && (product_id ?? order.product_id) === order.product_id;
      return isSent && action.type === 'email' ? [{ name, to: action.to }] : [];
    }),
  };
}

/** A refund of the whole order would fail. */
const isDisputed = ({ charges }: RequestOutput<typeof listRefundable>): boolean =>
  charges.some(({ disputed, step }) => disputed === true && step !== 'renewal');

function chargesOf({ charges }: RequestOutput<typeof listRefundable>, renewals: boolean): Preview['charges'] {
  return charges.map(({ paymentId, step, amountCents, refundedCents, currency, disputed = false }) => {
    const renewal = step === 'renewal';
    const refundCents = disputed || (renewal && !renewals) ? 0 : amountCents - refundedCents;
    return { paymentId, renewal, amountCents, refundedCents, refundCents, currency };
  });
}

function webhooksOf(isPaid: boolean, charges: Preview['charges'], ends: boolean): Preview['webhooks'] {
  const refunds = charges.filter(({ refundCents }) => refundCents > 0).length;
  return [
    { event: 'payment.refunded', count: refunds },
    { event: 'order.refunded', count: isPaid ? 1 : 0 },
    { event: 'subscription.canceled', count: ends ? 1 : 0 },
  ].filter(({ count }) => count > 0);
}
