import { accountTakenBack, revokeEndpoints, revokeProcessor } from '@app/contracts/accounts';
import { addToOutbox, outboxRow } from '@app/messaging/outbox';
import type { Requester } from '@app/messaging/requester';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { EntityManager } from '@mikro-orm/postgresql';
import { removeFactorsStatement } from './factors/user-factors.ts';
import { lockKeysStatement, revokeKeysStatement } from './revoke-api-key.ts';
import { lockAccount, recordChange } from './settings-changed.ts';
import { useOwnAddress } from './support-email.ts';

/** Revokes every API key of the account, in the caller's transaction. */
export async function revokeAllKeys(tx: EntityManager, accountId: string, now: Date): Promise<void> {
  await executeBound(tx, lockKeysStatement([accountId]));
  await executeBound(tx, revokeKeysStatement([accountId, now]));
}

/** Ways in that somebody else may have made beside sessions and keys. */
const forgetOriginsStatement = statement('take-back-origins', 'delete from known_origins where user_id = $1');
const forgetLinksStatement = statement('take-back-links', 'delete from login_links where user_id = $1');

interface TakenBack {
  readonly accountId: string;
  readonly userId: string;
  readonly now: Date;
  readonly requestId: string | null;
}

/**
 * Gives an account whose address was never verified to whom the address is of, in the transaction of the new password: it is
 * verified by that, its keys are revoked, its second factors are removed, and the event tells the services to end what else was set
 * up. Nothing happens to one that was verified meanwhile.
 */
export async function takeBack(tx: EntityManager, { accountId, userId, now, requestId }: TakenBack): Promise<void> {
  const account = await lockAccount(tx, accountId);
  if (account.emailVerified) return;
  account.emailVerified = true;
  useOwnAddress(account);
  account.supportEmailPending = null;
  account.checkoutUrl = null;
  await recordChange(tx, account, { changedAt: now, requestId });
  await revokeAllKeys(tx, accountId, now);
  await executeBound(tx, forgetOriginsStatement([userId]));
  await executeBound(tx, forgetLinksStatement([userId]));
  await executeBound(tx, removeFactorsStatement([userId]));
  const takenBackAt = now.toISOString();
  await addToOutbox(tx, [outboxRow(accountTakenBack, { takenBackAt }, { accountId, requestId, nowMs: now.getTime() })]);
}

interface ServicesDeps {
  readonly requester: Requester;
  readonly logger: Logger;
}

interface Context {
  readonly accountId: string;
  readonly requestId: string;
  readonly commandId: string;
}

/**
 * Ends what the account has elsewhere: endpoints, automations and keys of payment processors.
 * @throws DomainError service_unavailable while a service is out, which then sends nothing either
 */
export async function revokeElsewhere({ requester }: Pick<ServicesDeps, 'requester'>, context: Context): Promise<void> {
  await Promise.all([requester.request(revokeEndpoints, {}, context), requester.request(revokeProcessor, {}, context)]);
}

/** Once more after the commit, for what was set up at that very moment. The event does it where this fails. */
export async function revokeElsewhereAgain({ requester, logger }: ServicesDeps, context: Context): Promise<void> {
  await revokeElsewhere({ requester }, context).catch((err: unknown) =>
    logger.warn({ err, accountId: context.accountId }, 'a service did not revoke at once; it will from the event'),
  );
}
