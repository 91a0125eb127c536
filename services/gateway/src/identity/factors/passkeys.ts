import { hash, randomBytes } from 'node:crypto';
import { minuteMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import type { PasskeyAssertion, passkeyResource } from '@app/contracts/factors';
import { invalidField } from '@app/contracts/validation';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import {
  type AuthenticationResponseJSON,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { z } from 'zod';
import type { RelyingParty } from './relying-party.rules.ts';

export interface PasskeyDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** What an authenticator is to sign is good for so long, once. */
export const challengeMs = 5 * minuteMs;
/** Of one user. */
const passkeysMax = 20;

const challengeStatement = statement(
  'passkey-challenge',
  'insert into passkey_challenges (hash, user_id, expires_at) values ($1, $2, $3)',
);
const useChallengeStatement = statement(
  'passkey-challenge-use',
  'delete from passkey_challenges where hash = $1 and user_id is not distinct from $2 and expires_at > $3',
);
const listStatement = statement<PasskeyRow>(
  'passkeys-list',
  'select id, name, created_at, last_used_at from passkeys where user_id = $1 order by id',
  { id: 'text', name: 'text', created_at: 'timestamptz', last_used_at: 'timestamptz' },
);
const credentialsStatement = statement<{ credential_id: Buffer }>(
  'passkeys-credentials',
  'select credential_id from passkeys where user_id = $1',
  { credential_id: 'bytea' },
);
const insertStatement = statement(
  'passkey-insert',
  `insert into passkeys (id, user_id, credential_id, public_key, counter, name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
);
const findStatement = statement<Found>(
  'passkey-find',
  `select p.id, p.user_id, u.account_id, p.public_key, p.counter::text as counter
   from passkeys as p join users as u on u.id = p.user_id where p.credential_id = $1`,
  { id: 'text', user_id: 'text', account_id: 'text', public_key: 'bytea', counter: 'text' },
);
/** Authenticators without a counter say 0 each time. */
const usedStatement = statement(
  'passkey-used',
  'update passkeys set counter = $2, last_used_at = $3 where id = $1 and (counter < $2 or counter = 0 and $2 = 0)',
);
const renameStatement = statement<PasskeyRow>(
  'passkey-rename',
  'update passkeys set name = $3 where user_id = $1 and id = $2 returning id, name, created_at, last_used_at',
  { id: 'text', name: 'text', created_at: 'timestamptz', last_used_at: 'timestamptz' },
);
const removeStatement = statement('passkey-remove', 'delete from passkeys where user_id = $1 and id = $2');

interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

interface Found {
  readonly id: string;
  readonly user_id: string;
  readonly account_id: string;
  readonly public_key: Buffer;
  readonly counter: string;
}

const bytesOf = (base64url: string): Buffer => Buffer.from(base64url, 'base64url');
const hashOf = (challenge: string): Buffer => hash('sha256', challenge, 'buffer');

const resourceOf = ({ created_at, last_used_at, ...row }: PasskeyRow): z.output<typeof passkeyResource> => ({
  ...row,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});

export const passkeyNotFound = (): DomainError =>
  new DomainError('passkey_not_found', 'No passkey of this user has this id.');

const refused = (): DomainError =>
  new DomainError('invalid_credentials', 'The passkey is not known here, or its answer is older than five minutes.');

/** @throws DomainError passkeys_unavailable */
export function requireParty(party: RelyingParty | null): RelyingParty {
  if (party !== null) return party;
  throw new DomainError(
    'passkeys_unavailable',
    'Browsers use passkeys under a host name alone: reach this deployment by one, with https.',
  );
}

/** @param userId whose passkey it is to make; null for a log-in, whose user the passkey names */
export async function newChallenge({ database, clock }: PasskeyDeps, userId: string | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const expiresAt = new Date(clock.nowMs() + challengeMs);
  await database.pool.query(challengeStatement([hashOf(challenge), userId, expiresAt]));
  return challenge;
}

/** Uses the challenge up that the browser says it has signed; whether it did is verified afterwards. */
async function useChallenge({ database, clock }: PasskeyDeps, clientData: string, userId: string | null) {
  const challenge = challengeIn(clientData);
  const values = [hashOf(challenge), userId, clock.now()];
  if ((await database.pool.query(useChallengeStatement(values))).rowCount === 0) throw refused();
  return challenge;
}

function challengeIn(clientData: string): string {
  try {
    const { challenge } = JSON.parse(bytesOf(clientData).toString('utf8')) as { readonly challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** @throws DomainError limit_reached where the user has this many passkeys */
export function requireRoom(passkeys: number): void {
  if (passkeys < passkeysMax) return;
  throw new DomainError('limit_reached', `A user has at most ${passkeysMax} passkeys: remove one first.`);
}

/** Options for `navigator.credentials.create`: a passkey that names its user and verifies them. */
export async function registrationOptions(
  deps: PasskeyDeps,
  party: RelyingParty,
  user: { readonly id: string; readonly email: string },
) {
  const { rows } = await deps.database.pool.query(credentialsStatement([user.id]));
  requireRoom(rows.length);
  return await generateRegistrationOptions({
    rpName: 'Funnelry',
    rpID: party.id,
    userID: Uint8Array.from(Buffer.from(user.id)),
    userName: user.email,
    challenge: Uint8Array.from(bytesOf(await newChallenge(deps, user.id))),
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: rows.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/**
 * What is stored of a passkey that the browser made.
 * @throws DomainError validation_failed
 */
export async function verifyNewPasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  userId: string,
  credential: RegistrationResponseJSON,
) {
  const wrong = () => invalidField('credential', 'is not an answer to options of the last five minutes', 'wrong');
  const expectedChallenge = await useChallenge(deps, credential.response.clientDataJSON, userId).catch(
    (err: unknown) => {
      throw err instanceof DomainError ? wrong() : err;
    },
  );
  const verified = await verifyRegistrationResponse({
    response: credential,
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(() => null);
  if (verified === null || !verified.verified) throw wrong();
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  return { credentialId: bytesOf(id), publicKey: Buffer.from(publicKey), counter };
}

/** False when another user, or this one, has the credential. */
export async function insertPasskey(
  client: Client,
  passkey: {
    readonly id: string;
    readonly userId: string;
    readonly name: string;
    readonly at: Date;
    readonly verified: Awaited<ReturnType<typeof verifyNewPasskey>>;
  },
): Promise<boolean> {
  const { id, userId, name, at, verified } = passkey;
  const { credentialId, publicKey, counter } = verified;
  const inserted = await client.query(insertStatement([id, userId, credentialId, publicKey, counter, name, at]));
  return inserted.rowCount === 1;
}

export async function listPasskeys({ pool }: Pick<Database, 'pool'>, userId: string) {
  return (await pool.query(listStatement([userId]))).rows.map(resourceOf);
}

/** @throws DomainError passkey_not_found */
export async function renamePasskey({ pool }: Database, userId: string, id: string, name: string) {
  const { rows } = await pool.query(renameStatement([userId, id, name]));
  const [row] = rows;
  if (row === undefined) throw passkeyNotFound();
  return resourceOf(row);
}

export async function removePasskey(client: Client, userId: string, id: string): Promise<boolean> {
  return (await client.query(removeStatement([userId, id]))).rowCount === 1;
}

/** A passkey whose answer is right; `use` records it. */
export interface ProvedPasskey {
  readonly userId: string;
  readonly accountId: string;
  /** In the transaction of what it is used for. False when its counter has gone on meanwhile: it was copied, or sent twice. */
  use(client: Client): Promise<boolean>;
}

/**
 * Whose passkey signed a challenge of the last five minutes, which is used up: a person whom the authenticator verified.
 * @throws DomainError invalid_credentials
 */
export async function provePasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  response: PasskeyAssertion,
): Promise<ProvedPasskey> {
  const expectedChallenge = await useChallenge(deps, response.response.clientDataJSON, null);
  const { rows } = await deps.database.pool.query(findStatement([bytesOf(response.id)]));
  const [found] = rows;
  if (found === undefined) throw refused();
  const verified = await verifyAuthenticationResponse({
    response: Object.assign({ clientExtensionResults: {} }, response) as AuthenticationResponseJSON,
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id: response.id, publicKey: Uint8Array.from(found.public_key), counter: Number(found.counter) },
    requireUserVerification: true,
  }).catch(() => null);
  if (verified === null || !verified.verified) throw refused();
  const { newCounter } = verified.authenticationInfo;
  return {
    userId: found.user_id,
    accountId: found.account_id,
    use: async (client) => (await client.query(usedStatement([found.id, newCounter, deps.clock.now()]))).rowCount === 1,
  };
}
