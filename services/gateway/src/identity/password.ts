import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { passwordHashed } from '../points/points.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { createFairQueue, QueueFullError } from './fair-queue.ts';

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
 * A hash keeps one processor busy, and one of the threads of libuv (`UV_THREADPOOL_SIZE`, four by default), which also
 * resolve names, read files and compress. At most half of the processors and two of the threads hash, so that requests
 * with a session or a key never wait behind a hash. One queue for the process, as the threads are the process's.
 *
 * At a third of a second each, a share of 8 is hashed within 3 s and a full queue within 22 s by one processor. A client
 * without a hash in the last minute waits for the one under way, however many the others send.
 */
const hashing = createFairQueue({
  atOnce: Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2))),
  waitingMax: 64,
  shareMax: 8,
  rememberMs: 60_000,
});
const retryAfterSeconds = 10;

/**
 * `scrypt$N$r$p$salt$hash`: a hash says how it was made, so that the cost may rise later.
 * @param client whose share of the queue it takes: an address as `clientOfAddress` gives it, or a user's id
 * @throws RetryLaterError rate_limited, service_unavailable
 */
export async function hashPassword(password: string, client: string, cost = passwordCost): Promise<string> {
  const salt = randomBytes(saltLength);
  return format(cost, salt, await derive(password, client, salt, cost));
}

/** As `hashPassword`: it takes as long, and a share of the same queue. */
export async function isPassword(password: string, stored: string, client: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) throw new Error('unknown password scheme');
  const made = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, client, Buffer.from(salt, 'base64'), made);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64'));
}

/** No password has it: what an unknown email's password is compared with, so that it takes as long as a known one's. */
export const hashOfNoPassword = (cost: PasswordCost): string =>
  format(cost, Buffer.alloc(saltLength), Buffer.alloc(keyLength));

const format = ({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string =>
  ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');

async function derive(password: string, client: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> {
  // Node refuses more than 32 MB by default; a little above the need.
  const options = { N, r, p, maxmem: 160 * N * r };
  const hash = () =>
    new Promise<Buffer>((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, keyLength, options, (err, key) => (err ? reject(err) : resolve(key)));
    });
  try {
    return await hashing.run(client, hash);
  } catch (err) {
    if (!(err instanceof QueueFullError)) throw err;
    throw err.ownShare
      ? new RetryLaterError('rate_limited', 'Too many concurrent log-ins from this IP address.', retryAfterSeconds)
      : new RetryLaterError(
          'service_unavailable',
          'Too many concurrent log-ins: repeat the request in a few seconds.',
          retryAfterSeconds,
        );
  } finally {
    passwordHashed.announce(() => ({ client }));
  }
}
