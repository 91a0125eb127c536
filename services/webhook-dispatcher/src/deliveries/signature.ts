import { createHmac, type KeyObject } from 'node:crypto';

/**
 * The value of the header `webhook-signature` (Standard Webhooks): for each key `v1,` and the base64 of HMAC-SHA256 over
 * `id.timestamp.body`. There is more than one key while a secret is being rotated, the oldest last.
 */
export function signatureHeader(keys: readonly KeyObject[], id: string, timestamp: number, body: string): string {
  const content = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`).join(' ');
}
