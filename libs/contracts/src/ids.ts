import { z } from 'zod';

/** Prefixes of ids, one for each kind of thing (TypeID convention: prefix, underscore, UUIDv7 in base32). */
export const idPrefixes = {
  account: 'acc',
  user: 'usr',
  session: 'ses',
  apiKey: 'key',
  product: 'prd',
  bump: 'bmp',
  upsell: 'ups',
  downsell: 'dns',
  email: 'eml',
  discount: 'dsc',
  order: 'ord',
  customer: 'cus',
  checkout: 'cko',
  payment: 'pmt',
  refund: 'rfd',
  subscription: 'sub',
  affiliate: 'aff',
  commission: 'com',
  payout: 'pay',
  ledgerEntry: 'led',
  reminder: 'rmd',
  withdrawal: 'wdr',
  letter: 'ltr',
  webhookEndpoint: 'whe',
  event: 'evt',
  delivery: 'dlv',
  attempt: 'att',
  notice: 'ntc',
  recovery: 'rcv',
  automation: 'aut',
  dailyRun: 'run',
  auditEntry: 'aud',
  passkey: 'psk',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** Crockford's base32 in lower case, as TypeID uses it: sorts like the bits it stands for. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const suffixPattern = '[0-7][0-9a-hjkmnp-tv-z]{25}';

// Random bytes are drawn 4 KiB at a time: a system call for every id would be most of its cost.
const pool = new Uint8Array(4096);
let poolOffset = pool.length;
function randomByte(): number {
  if (poolOffset === pool.length) {
    crypto.getRandomValues(pool);
    poolOffset = 0;
  }
  return pool[poolOffset++] as number;
}

let lastMs = 0;
let sequence = 0;

/**
 * The 26 characters after an id's prefix: a UUIDv7 (RFC 9562) in base32. Ids made by one process sort in the
 * order they were made, also within a millisecond: the 12 bits after the version are a counter (method 1 of
 * section 6.2), which borrows a millisecond from the future when 4,096 ids are not enough for one.
 * @param nowMs milliseconds since the epoch, from the injected clock
 */
export function newIdSuffix(nowMs: number): string {
  if (nowMs > lastMs || lastMs - nowMs > 1_000) {
    // A correction moves the clock by milliseconds. One that went back by more than a second was set, so ids follow it.
    lastMs = nowMs;
    sequence = randomByte();
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = new Uint8Array(16);
  bytes[6] = sequence >> 8;
  bytes[7] = sequence & 0xff;
  for (let i = 8; i < 16; i++) bytes[i] = randomByte();
  return uuidV7(bytes, lastMs);
}

/**
 * The suffix for a time and 10 bytes. Equal input gives an equal suffix, so that a thing made twice has one id.
 * @param ms milliseconds since the epoch
 */
export function idSuffixOf(ms: number, entropy: Uint8Array): string {
  const bytes = new Uint8Array(16);
  bytes.set(entropy.subarray(0, 10), 6);
  return uuidV7(bytes, ms);
}

/** Writes time, version and variant of RFC 9562 over the bytes; the other bits of the last ten bytes stay. */
function uuidV7(bytes: Uint8Array, ms: number): string {
  let rest = ms;
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return base32(bytes);
}

/** 128 bits as 26 characters of 5 bits; the first character carries the top 3 bits. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 2; // two zero bits in front: 130 = 26 × 5
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    held += 8;
    while (held >= 5) {
      held -= 5;
      text += alphabet[(bits >> held) & 31];
    }
    bits &= (1 << held) - 1;
  }
  return text;
}

export function newId(kind: IdKind, nowMs: number): string {
  return `${idPrefixes[kind]}_${newIdSuffix(nowMs)}`;
}

/** The id of the resource that a command creates. It has the command's suffix, so that a repeated command finds it. */
export function idOfCommand(kind: IdKind, commandId: string): string {
  return `${idPrefixes[kind]}_${commandId}`;
}

/** A text that sorts before every id of the kind made at that time or later, and after every earlier id. */
export function idFloor(kind: IdKind, ms: number): string {
  let text = '';
  // 10 characters hold the 48 bits of time, as in `idTimeMs`.
  for (let rest = Math.max(0, ms), i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text;
  return `${idPrefixes[kind]}_${text}`;
}

/** Milliseconds since the epoch at which the id was made. */
export function idTimeMs(id: string): number {
  const suffix = id.slice(-26);
  let ms = 0;
  // The first 10 characters hold 48 bits of time after 2 zero bits: 50 = 10 × 5.
  for (let i = 0; i < 10; i++) ms = ms * 32 + alphabet.indexOf(suffix[i] as string);
  return ms;
}

export function isId(kind: IdKind, value: string): boolean {
  return value.startsWith(`${idPrefixes[kind]}_`) && suffixRegex.test(value.slice(idPrefixes[kind].length + 1));
}

const suffixRegex = new RegExp(`^${suffixPattern}$`);

export function idSchema(kind: IdKind) {
  return z
    .string()
    .regex(new RegExp(`^${idPrefixes[kind]}_${suffixPattern}$`), `must be an id beginning ${idPrefixes[kind]}_`);
}
