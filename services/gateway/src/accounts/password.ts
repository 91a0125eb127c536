import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's recommendation for 32 MB of memory (128 × N × r); three passes. */
const cost: Cost = { N: 2 ** 15, r: 8, p: 3 };
const keyLength = 32;
const saltLength = 16;

/** `scrypt$N$r$p$salt$hash`: a hash tells how it was made, so that the cost may rise later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltLength);
  const hash = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) throw new Error('unknown password scheme');
  const made = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), made), Buffer.from(hash, 'base64'));
}

/** No password has it: what an unknown email's password is compared with, so that it takes as long as a known one's. */
export const nobodysHash = [
  'scrypt',
  cost.N,
  cost.r,
  cost.p,
  Buffer.alloc(saltLength).toString('base64'),
  Buffer.alloc(keyLength).toString('base64'),
].join('$');

function derive(password: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Node refuses more than 32 MB unless told; a little above the need.
    const options = { N, r, p, maxmem: 160 * N * r };
    scrypt(password.normalize('NFKC'), salt, keyLength, options, (err, key) => (err ? reject(err) : resolve(key)));
  });
}
