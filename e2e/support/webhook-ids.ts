import type { ReceivedRequest } from '@app/testing/http-receiver';

/**
 * Under how many webhook-ids each event of a name came, by what its body is about.
 * @param field of the body, which says what that is
 */
export function countWebhookIds(
  requests: readonly ReceivedRequest[],
  event: string,
  field: 'orderId' | 'subscriptionId',
): Map<string, number> {
  const ids = new Map<string, Set<string>>();
  for (const { headers, body } of requests) {
    if (headers['x-service-event'] !== event) continue;
    const about = String((JSON.parse(body) as Record<string, unknown>)[field]);
    ids.set(about, (ids.get(about) ?? new Set()).add(String(headers['webhook-id'])));
  }
  return new Map([...ids].map(([about, seen]) => [about, seen.size]));
}
