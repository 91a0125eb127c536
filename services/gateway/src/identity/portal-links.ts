import { DomainError } from '@app/contracts/errors';
import type { portalOpened } from '@app/contracts/portal';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { createKeyedDigest } from '@app/service-kit/keyed-digest';
import type { z } from 'zod';
import { hashLetterToken, type NewLetter } from './letters/new-letter.ts';
import { sessionMs } from './portal-link.rules.ts';
import { hashSessionToken, newSessionToken } from './session-token.ts';

interface PortalDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** The token of the link that a command makes: a repeated command makes the same link. */
export type PortalTokens = (accountId: string, commandId: string) => string;

/** Without the pepper no token can be derived from the ids, and only its hash is stored. */
export function createPortalTokens(pepper: string): PortalTokens {
  const digest = createKeyedDigest(pepper, 'portal-links');
  return (accountId, commandId) => digest(JSON.stringify([accountId, commandId]));
}

/**
 * The same rows for any address: only the loop that submits letters finds out whether it has bought. A letter that is withheld has no
 * link and is never sent.
 */
const insertLetter = statement(
  'portal-letter-insert',
  `
  with link as (
    insert into portal_links (token_hash, account_id, email, created_at, expires_at)
    select $4, $2, $8, $6, $7 where $5::bytea is not null)
  insert into letters (id, kind, account_id, recipient, token_hash, sealed, created_at, next_attempt_at, expires_at)
  values ($1, 'portal_link', $2, $3, $4, $5, $6, $6, $7)`,
);

/** Stores a link to all that the address has bought of the account, and the letter with it. */
export async function storePortalLetter({ pool }: Database, accountId: string, letter: NewLetter): Promise<void> {
  const { id, email, tokenHash, createdAt, expiresAt } = letter;
  const sealed = letter.isWithheld ? null : letter.sealed;
  await pool.query(insertLetter([id, accountId, email, tokenHash, sealed, createdAt, expiresAt, email.toLowerCase()]));
}

/** Of two simultaneous calls the second waits for the row, and finds the link used. */
const openLink = statement<OpenedRow>(
  'portal-link-open',
  `
  with link as (
    update portal_links set used_at = coalesce(used_at, $2)
    where token_hash = $1 and expires_at > $2 and (used_at is null or subscription_id is not null)
    returning account_id, email, subscription_id),
  opened as (
    insert into portal_sessions (hash, account_id, email, subscription_id, created_at, expires_at)
    select $3, account_id, email, subscription_id, $2,
      case when subscription_id is null then $4::timestamptz else $5::timestamptz end
    from link returning expires_at)
  select l.email, l.subscription_id, a.handle, o.expires_at
  from portal_links as l join accounts as a on a.id = l.account_id left join opened as o on true
  where l.token_hash = $1`,
  { email: 'text', subscription_id: 'text', handle: 'text', expires_at: 'timestamptz' },
);

interface OpenedRow {
  readonly email: string;
  readonly subscription_id: string | null;
  readonly handle: string;
  /** Of the session; null where the link was used or is too old. */
  readonly expires_at: Date | null;
}

/**
 * Opens a session by a link: the link is used up and the session stored in one statement.
 * @throws DomainError not_found for a token of no link
 */
export async function openPortalLink(
  { database, clock }: PortalDeps,
  token: string,
): Promise<z.output<typeof portalOpened>> {
  const secret = newSessionToken();
  const now = clock.now();
  const [portalEnd, cardEnd] = [sessionMs.portal, sessionMs.card].map((ms) => new Date(now.getTime() + ms));
  const values = [hashLetterToken(token), now, hashSessionToken(secret), portalEnd, cardEnd];
  const { rows } = await database.pool.query<OpenedRow>(openLink(values));
  const [row] = rows;
  if (row === undefined) throw new DomainError('not_found', 'This link is not complete, or is older than 30 days.');
  const { handle, email, subscription_id, expires_at } = row;
  if (expires_at === null) return { status: 'expired', handle, email };
  const about = { handle, email, subscriptionId: subscription_id, expiresAt: expires_at.toISOString() };
  return { status: 'opened', secret, ...about };
}

const closeSession = statement('portal-session-close', 'delete from portal_sessions where hash = $1');

export async function closePortalSession({ pool }: Database, secret: string): Promise<void> {
  await pool.query(closeSession([hashSessionToken(secret)]));
}
