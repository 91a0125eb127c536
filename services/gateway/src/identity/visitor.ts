import { createKeyedDigest } from '@app/service-kit/keyed-digest';

/**
 * Distinguishes visitors of one UTC day and nothing else: without the pepper no address can be tried out against it, and
 * the digests of two days have nothing in common.
 */
export type VisitorDigest = (now: Date, address: string, userAgent: string) => string;

export function createVisitorDigest(pepper: string): VisitorDigest {
  const digest = createKeyedDigest(pepper, 'checkout-visitors');
  return (now, address, userAgent) => digest(JSON.stringify([now.toISOString().slice(0, 10), address, userAgent]));
}
