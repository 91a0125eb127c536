import { type IdKind, newId } from '@app/contracts/ids';
import { samplePayloads } from '@app/contracts/webhook-samples';
import type { WebhookEventName } from '@app/contracts/webhooks';

/** Fields that name a thing. A receiver that drops ids it has seen must not drop a test. */
const idFields: Readonly<Record<string, IdKind>> = {
  orderId: 'order',
  productId: 'product',
  subscriptionId: 'subscription',
  payoutId: 'payout',
  paymentId: 'payment',
};

/** Fields that hold a time, each as far from `sentAt` as in the sample. */
const timeFields = ['periodStart', 'periodEnd', 'evidenceDueBy'];

export type SamplePayload = Readonly<Record<string, unknown>> & { readonly event: WebhookEventName };

/**
 * A realistic payload of the event with ids of its own, as if it had occurred now.
 * @param nowMs milliseconds since the epoch
 */
export function freshSample(event: WebhookEventName, nowMs: number): SamplePayload {
  const sample: SamplePayload = samplePayloads[event];
  const laterMs = nowMs - Date.parse(samplePayloads[event].sentAt);
  const fields = Object.entries(sample).map(([name, value]) => {
    const kind = idFields[name];
    if (kind !== undefined && value !== '') return [name, newId(kind, nowMs)];
    // The processor's own id.
    if (name === 'disputeId') return [name, `du_${newId('payment', nowMs).slice('pmt_'.length)}`];
    if (name === 'sentAt' || timeFields.includes(name)) {
      return [name, new Date(Date.parse(String(value)) + laterMs).toISOString()];
    }
    return [name, value];
  });
  return Object.fromEntries(fields);
}
