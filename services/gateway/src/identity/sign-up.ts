import { randomBytes } from 'node:crypto';
import { newAccountSettings, type Settings } from '@app/contracts/accounts';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { addToOutbox } from '@app/messaging/outbox';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account } from './account.entity.ts';
import { findSeller } from './find-seller.ts';
import { handleFrom } from './handle.rules.ts';
import { insertLetterStatement, letterValues, type NewLetter } from './letters/new-letter.ts';
import { checkNewPassword } from './new-password.ts';
import { hashPassword, isPassword, type PasswordCost } from './password.ts';
import { settingsChangedRow } from './settings-changed.ts';
import { takeHandle } from './take-handle.ts';
import { User } from './user.entity.ts';

export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** Of the request, where there was one. */
  readonly requestId?: string;
  /** As `clientOfAddress` gives it; empty where there was no request. */
  readonly address: string;
  /** That verifies the address; null over a limit. Left out where the deployment itself makes the account: it is verified. */
  readonly letter?: NewLetter | null;
  /** Written in the transaction that makes the account. */
  alsoWrite?(tx: EntityManager, made: SignedUp): Promise<void>;
}

/** Two signups with one name at the same moment may collide in the handle; a third collision does not happen. */
const attemptsMax = 3;

export interface SignedUp {
  readonly accountId: string;
  readonly userId: string;
}

/**
 * Makes an account and its first user, and writes the event of its settings. A repeated command finds the account that
 * it made.
 * @throws DomainError email_taken, validation_failed for a password that is easily guessed
 */
export async function signUp(
  deps: { database: Database; clock: Clock; passwordCost?: PasswordCost },
  wanted: SignUp,
  commandId: string,
): Promise<SignedUp> {
  const ids = { accountId: idOfCommand('account', commandId), userId: idOfCommand('user', commandId) };
  await checkNewPassword(wanted.password, wanted.email);
  const passwordHash = await hashPassword(wanted.password, wanted.address, deps.passwordCost);
  for (let attempts = 1; ; attempts++) {
    try {
      await createAccount(deps, ids, wanted, passwordHash);
      return ids;
    } catch (err) {
      if (!isCollision(err)) throw err;
      if (await wasMade(deps.database, ids, wanted)) return ids;
      if (/users_email_(key_)?unique/.test(err.message))
        throw new DomainError('email_taken', 'An account with this email exists: log in.');
      if (attempts === attemptsMax) throw err;
    }
  }
}

const isCollision = (err: unknown): err is Error =>
  err instanceof UniqueConstraintViolationException || (err instanceof DomainError && err.code === 'handle_taken');

/** Checks the password again, because the account found here logs the caller in. */
async function wasMade(database: Database, { accountId, userId }: SignedUp, wanted: SignUp): Promise<boolean> {
  const user = await database.fork().findOne(User, { id: userId, accountId, email: wanted.email.toLowerCase() });
  return user !== null && (await isPassword(wanted.password, user.passwordHash, wanted.address));
}

async function createAccount(
  { database, clock }: { database: Database; clock: Clock },
  { accountId, userId }: SignedUp,
  wanted: SignUp,
  passwordHash: string,
): Promise<void> {
  const em = database.fork();
  const createdAt = clock.now();
  const { requestId = null } = wanted;
  const email = wanted.email.toLowerCase();
  const base = handleFrom(wanted.name);
  const taken = (await findSeller(database, base)) !== null;
  const settings: Settings = {
    ...newAccountSettings,
    handle: taken ? `${base}-${randomBytes(3).toString('hex')}` : base,
    businessName: wanted.name,
    supportEmail: email,
    supportEmailVerified: wanted.letter === undefined,
    email,
    emailVerified: wanted.letter === undefined,
  };
  await em.transactional(async (tx) => {
    await tx.insert(Account, {
      id: accountId,
      ...settings,
      settingsRevision: 1,
      createdAt,
    });
    await takeHandle(tx, accountId, settings.handle, createdAt);
    const key = emailKey(email);
    await tx.insert(User, { id: userId, accountId, email, emailKey: key, passwordHash, createdAt });
    await wanted.alsoWrite?.(tx, { accountId, userId });
    if (wanted.letter) await executeBound(tx, insertLetterStatement(letterValues(wanted.letter)));
    await addToOutbox(tx, [settingsChangedRow({ accountId, settings, revision: 1, changedAt: createdAt, requestId })]);
  });
}
