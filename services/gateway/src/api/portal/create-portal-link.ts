import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { findBuyer } from '@app/contracts/portal';
import { getSubscription } from '@app/contracts/subscriptions';
import { invalidField } from '@app/contracts/validation';
import type { CallContext, Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { portalUrlOf } from '../../edge/public-urls.ts';
import { letterPaths } from '../../identity/letters/letter-paths.ts';
import { hashLetterToken } from '../../identity/letters/new-letter.ts';
import { linkEnd } from '../../identity/portal-link.rules.ts';
import type { PortalTokens } from '../../identity/portal-links.ts';

export interface LinkDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly requester: Requester;
  readonly portalTokens: PortalTokens;
}

export interface WantedLink {
  readonly email: string;
  /** Null for all that the buyer has bought. */
  readonly subscriptionId: string | null;
  /** Of a card's link; it works 72 hours at least. */
  readonly validUntil: Date | null;
  /** This deployment's address for links. */
  readonly baseUrl: string;
}

const insertLink = statement<{ handle: string }>(
  'portal-link-insert',
  `
  with link as (
    insert into portal_links (token_hash, account_id, email, subscription_id, created_at, expires_at)
    values ($2, $1, $3, $4, $5, $6) on conflict (token_hash) do nothing)
  select handle from accounts where id = $1`,
  { handle: 'text' },
);

/**
 * Makes a link for a buyer whom the seller, or an email to the buyer, sends to the portal.
 * @throws DomainError buyer_not_found; validation_failed for a subscription that is not this buyer's
 */
export async function createPortalLink(
  { database, clock, requester, portalTokens }: LinkDeps,
  context: CallContext & { readonly commandId: string },
  { email, subscriptionId, validUntil, baseUrl }: WantedLink,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  await requireBuyer(requester, context, email);
  if (subscriptionId !== null) await requireOwn(requester, context, { email, subscriptionId });
  const now = clock.now();
  const expiresAt = linkEnd(now, subscriptionId !== null, validUntil);
  const token = portalTokens(context.accountId, context.commandId);
  const values = [context.accountId, hashLetterToken(token), email.toLowerCase(), subscriptionId, now, expiresAt];
  const { rows } = await database.pool.query<{ handle: string }>(insertLink(values));
  const [account] = rows;
  if (account === undefined) throw new Error(`there is no account ${context.accountId}`);
  return { url: `${portalUrlOf(baseUrl, account.handle)}${letterPaths.portal_link}/${token}`, expiresAt };
}

async function requireBuyer(requester: Requester, context: CallContext, email: string): Promise<void> {
  const { bought, rehearsed } = await requester.request(findBuyer, { email }, context);
  if (bought || rehearsed) return;
  const message = 'must be an address that has bought from this account';
  throw new DomainError('buyer_not_found', `\`email\` ${message}.`, [
    { field: 'email', code: 'buyer_not_found', message },
  ]);
}

async function requireOwn(
  requester: Requester,
  context: CallContext,
  { email, subscriptionId }: { readonly email: string; readonly subscriptionId: string },
): Promise<void> {
  const found = await requester.request(getSubscription, { subscriptionId }, context).catch((err: unknown) => {
    if (err instanceof DomainError && err.code === 'subscription_not_found') return null;
    throw err;
  });
  if (found !== null && emailKey(found.customer_email) === emailKey(email)) return;
  throw invalidField('subscriptionId', 'must be the id of a subscription of this buyer', 'unknown_value');
}
