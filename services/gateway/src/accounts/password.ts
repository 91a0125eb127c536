import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createSemaphore, SemaphoreFullError } from '@app/service-kit/semaphore';
import { RetryLaterError } from '../problems/retry-later-error.ts';

/** Of scrypt. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's recommendation for 32 MB of memory (128 × N × r); three passes. */
export const passwordCost: PasswordCost = { N: 2 ** 15, r: 8, p: 3 };
const keyLength = 32;
const saltLength = 16;

/**
 * A hash keeps one of the threads busy (four unless told otherwise) on which Node also looks up the names of whom it
 * connects to: two are left for that. One semaphore for the process, as the threads are the process's. 32 in the queue
 * wait for about 5 s, at a third of a second each.
 */
const hashing = createSemaphore(2, 32);

/** `scrypt$N$r$p$salt$hash`: a hash tells how it was made, so that the cost may rise later. */
export async function hashPassword(password: string, cost: PasswordCost = passwordCost): Promise<string> {
  const salt = randomBytes(saltLength);
  return format(cost, salt, await derive(password, salt, cost));
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) throw new Error('unknown password scheme');
  const made = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), made), Buffer.from(hash, 'base64'));
}

/** No password has it: what an unknown email's password is compared with, so that it takes as long as a known one's. */
export const hashOfNoPassword = (cost: PasswordCost): string =>
  format(cost, Buffer.alloc(saltLength), Buffer.alloc(keyLength));

const format = ({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string =>
  ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');

/** @throws RetryLaterError service_unavailable when too many wait already */
async function derive(password: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> {
  // Node refuses more than 32 MB unless told; a little above the need.
  const options = { N, r, p, maxmem: 160 * N * r };
  const hash = () =>
    new Promise<Buffer>((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, keyLength, options, (err, key) => (err ? reject(err) : resolve(key)));
    });
  try {
    return await hashing.run(hash);
  } catch (err) {
    if (!(err instanceof SemaphoreFullError)) throw err;
    throw new RetryLaterError('service_unavailable', 'Too many logins at this moment; try again shortly.', 5);
  }
}
