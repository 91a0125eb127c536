import { createHmac } from 'node:crypto';
import type { StripeEvent } from './objects.ts';

/** An event as Stripe sends it: bytes, and their signature by each secret that counts. */
export interface SentEvent {
  readonly body: Buffer;
  readonly signature: string;
}

interface Signing {
  readonly secrets: readonly string[];
  /** When it was signed, in milliseconds since the epoch: now unless given. */
  readonly atMs?: number;
}

export function signedBytes(body: Buffer, { secrets, atMs = Date.now() }: Signing): SentEvent {
  const time = Math.floor(atMs / 1_000);
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
    return `v1=${hmac}`;
  });
  return { body, signature: [`t=${time}`, ...signatures].join(',') };
}

/** Written with spaces, as Stripe does: a signature of parsed and written JSON instead of the bytes is of something else. */
export const signedEvent = (event: StripeEvent, signing: Signing): SentEvent =>
  signedBytes(Buffer.from(JSON.stringify(event, null, 2)), signing);
