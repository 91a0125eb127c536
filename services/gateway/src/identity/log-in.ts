import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { hashOfNoPassword, isPassword, type PasswordCost } from './password.ts';
import { Session } from './session.entity.ts';
import { hashSessionToken, newSessionToken, sessionDays } from './session-token.ts';
import { User } from './user.entity.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Where a session is opened, as its owner reads it in the list of sessions. */
export interface SessionOrigin {
  /** As `clientOfAddress` gives it. */
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** Browsers send less; a longer one is cut. */
const userAgentMax = 300;

/** Opens a session. An unknown email costs the same work and gets the same error as a wrong password. */
export async function logIn(
  deps: Deps & { readonly passwordCost: PasswordCost },
  { email, password }: { readonly email: string; readonly password: string },
  origin: SessionOrigin,
): Promise<{ accountId: string; token: string }> {
  const user = await deps.database.fork().findOne(User, { email: email.toLowerCase() });
  const matches = await isPassword(password, user?.passwordHash ?? hashOfNoPassword(deps.passwordCost), origin.address);
  if (user === null || !matches) throw new DomainError('invalid_credentials', 'Email or password is wrong.');
  return { accountId: user.accountId, token: await openSession(deps, user.id, origin) };
}

/** Returns the token, which is stored as a hash only. */
export async function openSession({ database, clock }: Deps, userId: string, origin: SessionOrigin): Promise<string> {
  const token = newSessionToken();
  const createdAt = clock.now();
  await database.fork().insert(Session, {
    id: newId('session', createdAt.getTime()),
    hash: hashSessionToken(token),
    userId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + sessionDays * 24 * 60 * 60 * 1000),
    lastUsedAt: null,
    address: origin.address,
    userAgent: origin.userAgent?.slice(0, userAgentMax) ?? null,
  });
  return token;
}
