import type { letterResource } from '@app/contracts/accounts';
import { listAutomations } from '@app/contracts/automations';
import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { listWebhookEndpoints } from '@app/contracts/webhooks';
import type { CallContext, Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { z } from 'zod';
import { type FoundLetter, findLetter } from './letters/find-letter.ts';
import { isLoggedIn } from './require-user.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly requester: Requester;
  readonly logger: Logger;
}

type Letter = z.output<typeof letterResource>;

const countKeys = statement<{ count: number }>(
  'letter-count-keys',
  `select count(*)::int from api_keys
   where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
  { count: 'int4' },
);

/**
 * What the page says of the account that a letter is about. Reading changes nothing: mail scanners open links. Of an account that
 * was never verified it tells what is set up, because its maker may be somebody else than who reads the mailbox. Of a verified one it does not: a
 * new address may be mistyped, and its reader a stranger.
 * @param session the token of the browser's session
 * @throws DomainError not_found
 */
export async function readLetter(
  deps: Deps,
  token: string,
  session: string | undefined,
  requestId: string,
): Promise<Letter> {
  const letter = await findLetter(deps, token, ['verification', 'email_change', 'support_email']);
  const { kind, email, recipient, business_name: name, created_at: createdAt, email_verified: isVerified } = letter;
  return {
    purpose: kind === 'password_reset' ? 'verification' : kind,
    email: recipient ?? email,
    account: { name, created_at: createdAt.toISOString() },
    // Who gets buyers’ letters decides that alone, and needs no account.
    password_due: kind !== 'support_email' && !(await isLoggedIn(deps, letter, session)),
    set_up: kind === 'verification' && !isVerified ? await setUpOf(deps, letter, requestId) : null,
  };
}

async function setUpOf(
  { database, clock, requester, logger }: Deps,
  { account_id: accountId }: FoundLetter,
  requestId: string,
): Promise<Letter['set_up']> {
  const context: CallContext = { accountId, requestId };
  // A service that is slow leaves a gap on the page.
  const known = <T>(reading: Promise<T>): Promise<T | null> =>
    reading.catch((err: unknown) => {
      logger.warn({ err, accountId }, 'the page of a letter does not say all that is set up');
      return null;
    });
  const [keys, endpoints, automations, processor] = await Promise.all([
    database.pool.query(countKeys([accountId, clock.now()])),
    known(requester.request(listWebhookEndpoints, {}, context)),
    known(requester.request(listAutomations, {}, context)),
    known(requester.request(getPaymentProcessor, {}, context)),
  ]);
  return {
    api_keys: keys.rows[0]?.count ?? 0,
    webhook_hosts: endpoints?.data.map(({ url }) => new URL(url).host) ?? null,
    automations: automations?.data.filter(({ built_in }) => built_in === null).length ?? null,
    payment_processor: processor?.processor ?? null,
  };
}
