import type { ConfirmBody } from '@app/contracts/accounts';
import { minuteMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { InferEntity } from '@mikro-orm/core';
import type { Actor } from './actors.ts';
import { checkPassword, type PasswordDeps } from './check-password.ts';
import { provePasskey, requireParty } from './factors/passkeys.ts';
import type { RelyingParty } from './factors/relying-party.rules.ts';
import { type FactorDeps, useCode } from './log-in-with-factor.ts';
import { passwordChanged } from './pending-login.ts';
import { unauthorized } from './unauthorized.ts';
import { User } from './user.entity.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

type ConfirmDeps = FactorDeps & PasswordDeps;

/** The client's address, as `clientOfAddress` gives it, and whom its browser makes passkeys for. */
interface ProvedAt {
  readonly address: string;
  readonly party: RelyingParty | null;
}

/** Long enough to change what belongs together, too short for whoever finds the browser later. */
const confirmedMs = 15 * minuteMs;

/** Nothing, when the password was changed since it was checked: a confirmation before that is over. */
const lockUser = statement<{ id: string }>(
  'confirm-lock',
  'select id from users where id = $1 and password_hash = $2 for update',
  { id: 'text' },
);
const confirmStatement = statement(
  'confirm-session',
  'update sessions set confirmed_at = $3 where id = $1 and user_id = $2',
);
const readStatement = statement<{ confirmed_at: Date | null }>(
  'confirm-read',
  'select confirmed_at from sessions where id = $1 and user_id = $2',
  { confirmed_at: 'timestamptz' },
);

/**
 * Requires what the body proves the person by; resolves with the user. Each way counts its attempts before it checks them.
 * @throws DomainError invalid_credentials; RetryLaterError rate_limited
 */
async function checkProof(
  deps: ConfirmDeps,
  actor: Actor,
  proof: ConfirmBody,
  { address, party }: ProvedAt,
): Promise<InferEntity<typeof User>> {
  if ('password' in proof) return await checkPassword(deps, actor, proof.password, address);
  const { database } = deps;
  const user = await database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
  if ('code' in proof) {
    const attempt = await deps.limitCodes(user.id, user.passwordHash);
    await database.transaction((client) => useCode(deps, client, user.id, proof.code));
    await attempt.succeeded();
    return user;
  }
  const proved = await provePasskey(deps, requireParty(party), proof.passkey);
  const isUsed = proved.userId === user.id && (await database.transaction((client) => proved.use(client)));
  if (!isUsed) throw new DomainError('invalid_credentials', 'The passkey is not one of yours.');
  return user;
}

/**
 * Confirms that the person of a session is there. It is stored with the session, so that every replica knows it, and holds
 * until a new password.
 * @returns until when
 * @throws DomainError invalid_credentials, also when the password was changed meanwhile; RetryLaterError rate_limited
 */
export async function confirmPerson(deps: ConfirmDeps, actor: Actor, proof: ConfirmBody, at: ProvedAt): Promise<Date> {
  const user = await checkProof(deps, actor, proof, at);
  const confirmedAt = deps.clock.now();
  await deps.database.transaction(async (client) => {
    const { rowCount } = await client.query(lockUser([user.id, user.passwordHash]));
    if (rowCount === 0) throw passwordChanged();
    await client.query(confirmStatement([actor.sessionId, user.id, confirmedAt]));
  });
  return new Date(confirmedAt.getTime() + confirmedMs);
}

/**
 * Requires that the person of a session was confirmed in the last 15 minutes. A log-in is no confirmation: whoever got hold of a
 * browser or its cookie may have it since then. Keys do what their scopes say, while they stand.
 * @throws DomainError password_required; unauthorized for a key that was revoked
 */
export async function requireConfirmation({ database, clock }: Deps, actor: Actor): Promise<void> {
  if (actor.kind !== 'session') return await requireStanding(database, actor);
  const { rows } = await database.pool.query(readStatement([actor.sessionId, actor.userId]));
  const confirmedMsAgo = clock.nowMs() - (rows[0]?.confirmed_at?.getTime() ?? Number.NEGATIVE_INFINITY);
  // A test clock may have been moved back.
  if (confirmedMsAgo >= 0 && confirmedMsAgo < confirmedMs) return;
  throw new DomainError(
    'password_required',
    'This needs your password once more: POST /api/auth/confirm, then repeat it within 15 minutes. Nothing was changed.',
  );
}

const standingStatement = statement(
  'confirm-key-stands',
  'select from api_keys where id = $1 and account_id = $2 and revoked_at is null',
);

/** A key that was revoked a moment ago may still be known to this replica: it redirects nothing. @throws DomainError unauthorized */
async function requireStanding({ pool }: Database, { keyId, accountId }: Actor): Promise<void> {
  const { rowCount } = await pool.query(standingStatement([keyId, accountId]));
  if (rowCount === 0) throw unauthorized();
}
