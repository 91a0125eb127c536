import { createHmac, timingSafeEqual } from 'node:crypto';

/** Time-based one-time codes (RFC 6238) with what every authenticator app takes: SHA-1, six digits, 30 seconds. */
const digits = 6;
const stepSeconds = 30;
/** Clocks of phones differ, and people type slowly: the step before and the one after count as well. */
const stepsAround = [0, -1, 1];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const at = (mac.at(-1) as number) & 0xf;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 10 ** digits).padStart(digits, '0');
}

/** The step that the code is of, counted from the epoch; null for none of those around now. */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const current = Math.floor(now.getTime() / 1000 / stepSeconds);
  const steps = stepsAround.map((around) => current + around);
  return steps.find((step) => timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code))) ?? null;
}

/** What an authenticator app reads from a QR code. */
export function otpauthUri(secret: Uint8Array, issuer: string, email: string): string {
  const query = new URLSearchParams({ secret: base32(secret), issuer }).toString().replaceAll('+', '%20');
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${query}`;
}
