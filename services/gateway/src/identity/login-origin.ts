import { createHash } from 'node:crypto';
import { dayMs } from '@app/contracts/durations';

/** Where a session is opened, as its owner reads it in the list of sessions. */
export interface SessionOrigin {
  /** As `clientOfAddress` gives it. */
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** A log-in from where there was none for so long is a new one. A session lasts 30 days, so every browser in use is younger. */
const knownDays = 90;

export const originsKnownSince = (now: Date): Date => new Date(now.getTime() - knownDays * dayMs);

/**
 * Log-ins of one browser in one network have one value. Browsers and systems change their versions each month and providers the
 * address of a home, so neither versions count nor more than the first half of an IPv4 address or the first 32 bits of IPv6.
 */
export function digestOfOrigin({ address, userAgent = '' }: SessionOrigin): Buffer {
  const browser = userAgent.replaceAll(/[\d._]+/g, '');
  return createHash('sha256')
    .update(`${networkOf(address)} ${browser}`)
    .digest();
}

function networkOf(address: string): string {
  const ipv4 = /(\d+\.\d+)\.\d+\.\d+$/.exec(address);
  return ipv4?.[1] ?? address.split(':').slice(0, 2).join(':');
}
