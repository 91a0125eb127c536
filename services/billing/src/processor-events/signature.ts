import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a signature's time may be from ours, in either direction: Stripe signs anew for each attempt. */
const toleranceMs = 300_000;
/** Stripe sends one for each secret that counts: two while one rotates. */
const signaturesMax = 10;

/**
 * Whether Stripe signed these bytes with the secret: `Stripe-Signature` has a time in seconds and HMAC-SHA256 of `time.body`.
 * @param nowMs milliseconds since the epoch, by the real clock
 */
export function isSigned(body: Buffer, signature: string, secret: string, nowMs: number): boolean {
  const parts = signature.split(',').map((part) => part.trim());
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  if (!/^\d{1,12}$/.test(time)) return false;
  const wanted = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const given = parts.filter((part) => /^v1=[0-9a-f]{64}$/.test(part)).slice(0, signaturesMax);
  const fits = given.some((part) => timingSafeEqual(Buffer.from(part.slice(3), 'hex'), wanted));
  return fits && Math.abs(nowMs - Number(time) * 1_000) <= toleranceMs;
}
