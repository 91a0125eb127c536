import { newIdSuffix } from '@app/contracts/ids';
import { samplePayloads } from '@app/contracts/webhook-samples';
import type { WebhookEventName } from '@app/contracts/webhooks';

/** Fields that hold a time, each as far from `sentAt` as in the sample. */
const timeFields = ['sentAt', 'periodStart', 'periodEnd', 'evidenceDueBy'];

export type SamplePayload = Readonly<Record<string, unknown>> & { readonly event: WebhookEventName };

/**
 * A realistic payload of the event, as if it had occurred now, with ids of its own: a receiver that drops ids it has seen must
 * not drop a test. What has one id in the sample has one here.
 * @param nowMs milliseconds since the epoch
 */
export function freshSample(event: WebhookEventName, nowMs: number): SamplePayload {
  const sample = samplePayloads[event];
  const laterMs = nowMs - Date.parse(sample.sentAt);
  const newIds = new Map<string, string>();
  const renew = (id: string): string => {
    const renewed = newIds.get(id) ?? `${id.slice(0, id.indexOf('_') + 1)}${newIdSuffix(nowMs)}`;
    newIds.set(id, renewed);
    return renewed;
  };
  return JSON.parse(JSON.stringify(sample), (name, value) => {
    if (typeof value !== 'string' || value === '') return value;
    if (name === 'id' || name.endsWith('Id')) return renew(value);
    return timeFields.includes(name) ? new Date(Date.parse(value) + laterMs).toISOString() : value;
  });
}
