import { DomainError } from '@app/contracts/errors';
import type { FactorProof } from '@app/contracts/factors';
import type { Client } from '@app/service-kit/database';
import type { CodeLimit } from '../limits/code-limit.ts';
import type { CallAudit, Concerned } from './audit/call-audit.ts';
import { useBackupCode } from './factors/backup-codes.ts';
import { type CodesDeps, takeCode } from './factors/one-time-codes.ts';
import { provePasskey, requireParty } from './factors/passkeys.ts';
import type { RelyingParty } from './factors/relying-party.rules.ts';
import type { Letters } from './letters/letters.ts';
import type { SessionOrigin } from './login-origin.ts';
import { noticeOfLogin } from './notice-of-login.ts';
import { noticeOfWrongCodes } from './notice-of-wrong-codes.ts';
import { openSession, type SessionFactor } from './open-session.ts';
import { endPendingLogin, findPendingLogin, loginExpired } from './pending-login.ts';

export interface FactorDeps extends CodesDeps {
  readonly limitCodes: CodeLimit;
}

interface LogInDeps extends FactorDeps {
  readonly letters: Pick<Letters, 'notice' | 'wake'>;
}

interface From {
  /** Of a log-in that waits for its factor. */
  readonly pendingToken: string | undefined;
  readonly party: RelyingParty | null;
  readonly origin: SessionOrigin;
  /** What the letter's link stands under. */
  readonly baseUrl: string;
  readonly audit: CallAudit;
}

export const wrongCode = (): DomainError =>
  new DomainError('invalid_credentials', 'The code is wrong, was used already, or its time is over.');

/**
 * Opens the session of a log-in whose factor is right. At the third wrong code of a day its user gets a letter. What proved it is used up in the transaction that opens the session.
 * @throws DomainError login_expired, invalid_credentials, passkeys_unavailable; RetryLaterError
 */
export async function logInWithFactor(deps: LogInDeps, proof: FactorProof, from: From) {
  return 'passkey' in proof ? await logInByPasskey(deps, proof, from) : await logInByCode(deps, proof, from);
}

async function logInByPasskey(deps: LogInDeps, { passkey }: Extract<FactorProof, { passkey: unknown }>, from: From) {
  const proved = await provePasskey(deps, requireParty(from.party), passkey);
  from.audit.concerns(proved);
  return await open(deps, proved, from, async (client) => {
    if (!(await proved.use(client)))
      throw new DomainError('invalid_credentials', 'This answer of the passkey was used already.');
    if (from.pendingToken !== undefined) await endPendingLogin(client, from.pendingToken);
    return 'passkey';
  });
}

async function logInByCode(deps: LogInDeps, { code }: Extract<FactorProof, { code: string }>, from: From) {
  const { pendingToken = '', audit } = from;
  const pending = await findPendingLogin(deps, from.pendingToken);
  const user = { accountId: pending.account_id, userId: pending.user_id };
  audit.concerns(user);
  const attempt = await deps.limitCodes(pending.user_id, pending.password_hash);
  const opened = await open(deps, user, from, async (client) => {
    if (!(await endPendingLogin(client, pendingToken))) throw loginExpired();
    return await useCode(deps, client, pending.user_id, code);
  }).catch(async (err: unknown) => {
    const isWrong = err instanceof DomainError && err.code === 'invalid_credentials';
    if (isWrong && (await attempt.failed())) await noticeOfWrongCodes(deps, user.userId, from.origin, from.baseUrl);
    throw err;
  });
  await attempt.succeeded();
  return opened;
}

/** @throws DomainError invalid_credentials */
export async function useCode(deps: CodesDeps, client: Client, userId: string, code: string): Promise<SessionFactor> {
  if (await takeCode(deps, client, userId, code)) return 'code';
  if (await useBackupCode(client, userId, code)) return 'backup_code';
  throw wrongCode();
}

async function open(
  deps: LogInDeps,
  { accountId, userId }: Concerned,
  { origin, baseUrl, audit }: From,
  prove: (client: Client) => Promise<SessionFactor>,
) {
  const notice = await noticeOfLogin(deps, userId, origin, baseUrl);
  const token = await openSession(deps, { accountId, userId, notice, audit, prove }, origin);
  if (notice !== null) deps.letters.wake();
  return { accountId, token };
}
