import { createHmac } from 'node:crypto';

/** The code that an authenticator app shows now (RFC 6238). @param secret in base32 */
export function codeOf(secret: string, nowMs = Date.now()): string {
  const bits = [...secret].map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'));
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  return String((mac.readUInt32BE((mac.at(-1) as number) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
