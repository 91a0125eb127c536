import { randomBytes } from 'node:crypto';
import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { createSealedBox, type SealedBox, type Secrets } from '@app/service-kit/sealed-box';
import { base32, otpauthUri, stepOf } from './totp.ts';

/** Seals the secrets of one-time codes, each for its user. */
export const createCodesBox = (peppers: Secrets): SealedBox => createSealedBox(peppers, 'one-time-codes');

export interface CodesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly codesBox: SealedBox;
}

interface Stored {
  readonly sealed: Buffer;
  readonly is_active: boolean;
}

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;

/** Nothing where the codes are in use: they are switched off first. */
const setUpStatement = statement(
  'codes-set-up',
  `insert into one_time_codes as c (user_id, sealed, created_at, last_step) values ($1, $2, $3, 0)
   on conflict (user_id) do update set sealed = excluded.sealed, created_at = excluded.created_at where c.activated_at is null`,
);
const findStatement = statement<Stored>(
  'codes-find',
  'select sealed, activated_at is not null as is_active from one_time_codes where user_id = $1',
  { sealed: 'bytea', is_active: 'bool' },
);
const activateStatement = statement(
  'codes-activate',
  `update one_time_codes set activated_at = $3, last_step = $4
   where user_id = $1 and sealed = $2 and activated_at is null`,
);
const takeStatement = statement(
  'codes-take',
  `update one_time_codes set last_step = $3
   where user_id = $1 and sealed = $2 and activated_at is not null and last_step < $3`,
);
const removeStatement = statement('codes-remove', 'delete from one_time_codes where user_id = $1');

/** A new secret, which counts once a code of it was given: until then the user logs in without. */
export async function setUpCodes(
  { database, clock, codesBox }: CodesDeps,
  userId: string,
  { issuer, email }: { readonly issuer: string; readonly email: string },
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(secretBytes);
  const values = [userId, codesBox.seal(secret, userId), clock.now()];
  if ((await database.pool.query(setUpStatement(values))).rowCount === 0)
    throw new DomainError('invalid_transition', 'One-time codes are in use: switch them off first.');
  return { secret: base32(secret), uri: otpauthUri(secret, issuer, email) };
}

/** Whether it is a code of the secret that was set up, which is in use from then on. */
export async function activateCodes(deps: CodesDeps, client: Client, userId: string, code: string): Promise<boolean> {
  const found = await stepFor(deps, client, userId, code, false);
  if (found === null) return false;
  const values = [userId, found.sealed, deps.clock.now(), found.step];
  return (await client.query(activateStatement(values))).rowCount === 1;
}

/** Whether it is a code of the user's, later than the one that was taken last: no code is taken twice. */
export async function takeCode(deps: CodesDeps, client: Client, userId: string, code: string): Promise<boolean> {
  const found = await stepFor(deps, client, userId, code, true);
  if (found === null) return false;
  return (await client.query(takeStatement([userId, found.sealed, found.step]))).rowCount === 1;
}

export async function removeCodes(client: Client, userId: string): Promise<boolean> {
  return (await client.query(removeStatement([userId]))).rowCount === 1;
}

async function stepFor(
  { clock, codesBox }: CodesDeps,
  client: Client,
  userId: string,
  code: string,
  isActive: boolean,
) {
  const { rows } = await client.query(findStatement([userId]));
  const [stored] = rows;
  if (stored === undefined || stored.is_active !== isActive) return null;
  const step = stepOf(codesBox.open(stored.sealed, userId), code.replaceAll(/\s/g, ''), clock.now());
  return step === null ? null : { sealed: stored.sealed, step };
}
