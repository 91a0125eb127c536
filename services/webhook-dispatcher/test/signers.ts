import { createHmac } from 'node:crypto';
import type { Receiver } from '@app/testing/http-receiver';

/** Which of the secrets have signed a request, in the order of its signatures. */
export function signersOf(
  request: Receiver['requests'][number] | undefined,
  secrets: Record<string, string | undefined>,
): string[] {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = request?.headers ?? {};
  const named = Object.entries(secrets).map(([name, secret]) => {
    const key = Buffer.from((secret as string).slice('whsec_'.length), 'base64');
    return [`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${request?.body}`).digest('base64')}`, name];
  });
  const names = new Map(named as [string, string][]);
  return String(given)
    .split(' ')
    .map((signature) => names.get(signature) ?? 'unknown');
}
