import { type Database, statement } from '@app/service-kit/database';
import { recordOf } from '@app/service-kit/row-arrays';
import { lastActive } from '../checkouts/last-active.ts';
import type { SecretHash } from '../checkouts/secret.ts';
import { remindersClaimed } from '../points/points.ts';
import type { ReminderBounds, StalledBounds } from './reminder.rules.ts';
import { hasBought, keepsOut, optedOut } from './reminder-conditions.ts';

/** A reminder that is to be claimed. The hashes are those of the tokens in its two links. */
export interface NewReminder {
  readonly id: string;
  readonly checkout_id: string;
  readonly buyer: string;
  readonly product_id: string;
  readonly link_hash: SecretHash;
  readonly token_hash: SecretHash;
}
const reminderTypes: Readonly<Record<keyof NewReminder, string>> = {
  id: 'text',
  checkout_id: 'text',
  buyer: 'text',
  product_id: 'text',
  link_hash: 'bytea',
  token_hash: 'bytea',
};

/**
 * A page is sent well within it: fifty messages of a minute each, four at a time, are 13 minutes. Claims of a process that
 * died end earlier: with the account's next run.
 */
const leaseMs = 15 * 60_000;

/**
 * One statement claims a page: locked checkouts are skipped, everything that was read before is checked
 * again, and the key of the table lets one run have each buyer and product.
 */
const claimStatement = statement<{ id: string }>(
  'reminders-claim',
  `with due as materialized (
     select i.* from json_to_recordset($6::json) as i(${recordOf(reminderTypes)})
     cross join lateral (
       select c.id from checkouts as c
       where c.account_id = $1 and c.id = i.checkout_id and c.status = 'open' and not c.test
         and c.email_key = i.buyer and c.product_id = i.product_id
         and ${lastActive} <= $3 and c.created_at > $4
         and not ${hasBought('$1', 'i.buyer')} and not ${optedOut('$1', 'i.buyer')}
       for update skip locked) as c
   )
   insert into reminders as r (account_id, email, email_key, product_id, id, checkout_id, status, link_hash, token_hash, claimed_until)
   select $1, buyer, buyer, product_id, id, checkout_id, 'claimed', link_hash, token_hash, $7::timestamptz from due
   order by buyer, product_id
   on conflict (account_id, email, product_id) do update set
     id = excluded.id, checkout_id = excluded.checkout_id, status = 'claimed', link_hash = excluded.link_hash,
     token_hash = excluded.token_hash, email_key = excluded.email_key,
     refusals = case when r.status in ('claimed', 'failed') then r.refusals else 0 end, claimed_until = excluded.claimed_until, sent_at = null, detail = null,
     counted_at = null, copies = 0
   where not coalesce(${keepsOut('$2', '$5')}, false)
   returning r.id`,
  { id: 'text' },
);

/** Claims the reminders that are still due and that no other run has claimed. Returns the ids of those claimed. */
export async function claimReminders(
  { pool }: Database,
  accountId: string,
  { now, idleSince, openedAfter, quietSince }: StalledBounds,
  reminders: readonly NewReminder[],
): Promise<ReadonlySet<string>> {
  if (reminders.length === 0) return new Set();
  const until = new Date(now.getTime() + leaseMs);
  // The links' tokens, which they may have beside, stay here.
  const incoming = reminders.map(({ id, checkout_id, buyer, product_id, link_hash, token_hash }) => {
    return { id, checkout_id, buyer, product_id, link_hash, token_hash };
  });
  const values = [accountId, now, idleSince, openedAfter, quietSince, JSON.stringify(incoming), until];
  const { rows } = await pool.query(claimStatement(values));
  const reminderIds = rows.map(({ id }) => id);
  remindersClaimed.announce(() => ({ accountId, reminderIds }));
  return new Set(reminderIds);
}

/**
 * The reminder counts as sent from here on, and its link restores the checkout. With it the opt-out link gets its token: no email
 * goes out whose links lead nowhere.
 */
const beginStatement = statement<{ checkout_id: string }>(
  'reminders-begin',
  `with opened as materialized (
     select c.id from checkouts as c
     where c.account_id = $1 and c.id = $2 and c.status = 'open' and not ${hasBought('$1', 'c.email_key')}
     for update
   ), begun as (
     update reminders as r set status = 'sending', sent_at = $4 from opened as o
     where r.account_id = $1 and r.id = $3 and r.checkout_id = o.id and r.status = 'claimed'
       and not ${optedOut('r.account_id', 'r.email_key')}
     returning r.checkout_id, r.email_key, r.token_hash
   ), token as (
     insert into opt_out_tokens (token_hash, account_id, email, created_at)
     select token_hash, $1, email_key, $4 from begun
   )
   select checkout_id from begun`,
  { checkout_id: 'text' },
);

/** False when the buyer has bought or opted out since the claim, or when the claim was lost: then nothing is sent. */
export async function beginReminder(
  { pool }: Database,
  accountId: string,
  { id, checkout_id }: Pick<NewReminder, 'id' | 'checkout_id'>,
  now: Date,
): Promise<boolean> {
  return (await pool.query(beginStatement([accountId, checkout_id, id, now]))).rowCount === 1;
}

const sentStatement = statement(
  'reminders-sent',
  `update reminders set status = 'sent', detail = $3 where account_id = $1 and id = $2 and status = 'sending'`,
);

/** @param detail what is known of a submission without a reply, or null */
export async function endSent({ pool }: Database, accountId: string, id: string, detail: string | null): Promise<void> {
  await pool.query(sentStatement([accountId, id, detail]));
}

const countLaterStatement = statement(
  'reminders-count-later',
  `update reminders set uncounted = true where account_id = $1 and id = $2 and status = 'sent'`,
);

/** The run of the reminder has its result already: the next one counts it. */
export async function countLater({ pool }: Database, accountId: string, id: string): Promise<void> {
  await pool.query(countLaterStatement([accountId, id]));
}

/** Nothing went out: the link restores nothing, and the token of the other is taken back. */
const failedStatement = statement<{ refusals: number }>(
  'reminders-failed',
  `with ended as (
     update reminders as r set status = 'failed', detail = $3, sent_at = null,
       refusals = r.refusals + case when $4 then 1 else 0 end, refused_at = case when $4 then $5::timestamptz end
     where r.account_id = $1 and r.id = $2 and r.status = 'sending'
     returning r.token_hash, r.refusals
   ), token as (
     delete from opt_out_tokens as t using ended as e where t.account_id = $1 and t.token_hash = e.token_hash
   )
   select refusals from ended`,
  { refusals: 'int4' },
);

export interface Failure {
  /** The mail server's words. */
  readonly detail: string;
  /** Whether the server will refuse it again. */
  readonly isFinal: boolean;
}

/** Returns how often the server has refused the reminder for good. */
export async function endFailed(
  { pool }: Database,
  accountId: string,
  reminderId: string,
  { detail, isFinal }: Failure,
  now: Date,
): Promise<number> {
  const { rows } = await pool.query(failedStatement([accountId, reminderId, detail, isFinal, now]));
  return rows[0]?.refusals ?? 0;
}

/** One that was refused before keeps the count of its refusals. */
const releaseStatement = statement(
  'reminders-release',
  `with known as (
     update reminders set status = 'failed' where account_id = $1 and id = any ($2) and status = 'claimed' and refusals > 0
   )
   delete from reminders where account_id = $1 and id = any ($2) and status = 'claimed' and refusals = 0`,
);

/** Gives back claims that were not begun. */
export async function releaseReminders({ pool }: Database, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await pool.query(releaseStatement([accountId, ids]));
}

const endClaimsStatement = statement(
  'reminders-end-claims',
  `update reminders set claimed_until = $2 where account_id = $1 and status = 'claimed' and claimed_until > $2`,
);

/**
 * Ends the claims that earlier runs left. The caller holds the account's lock: those runs died, or have lost the lock. One
 * that lives on sends none of what another run claims: its reminders have other ids by then.
 */
export async function endClaims({ pool }: Database, accountId: string, now: Date): Promise<void> {
  await pool.query(endClaimsStatement([accountId, now]));
}

const sentTodayStatement = statement<{ own: number; of_all: number }>(
  'reminders-sent-today',
  `select (select count(*)::int from reminders where account_id = $1 and sent_at > $2) as own,
     (select count(*)::int from reminders where sent_at > $2) as of_all`,
  { of_all: 'int4', own: 'int4' },
);

/** A claim writes the key of the buyer's address as `email`, with which the table's own key goes on after the account. */
const sentToStatement = statement<{ email: string; count: number }>(
  'reminders-sent-to',
  `select email, count(*)::int as count from reminders where account_id = $1 and email = any ($2) and sent_at > $3 group by email`,
  { count: 'int4', email: 'text' },
);

/** How many reminders of the account each of the buyers has got since a time; those with none are left out. */
export async function remindersSentTo(
  { pool }: Database,
  accountId: string,
  buyers: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query(sentToStatement([accountId, buyers, since]));
  return new Map(rows.map(({ email, count }) => [email, count]));
}

/** How many more reminders of the account may go out, after those since a time. One that has sent none sends its first, whatever others have sent. */
export async function roomForReminders(
  { pool }: Database,
  accountId: string,
  { perDay, perDayOfAll }: ReminderBounds,
  since: Date,
): Promise<number> {
  const { rows } = await pool.query(sentTodayStatement([accountId, since]));
  const { own, of_all: ofAll } = rows[0] as { own: number; of_all: number };
  const ofOthers = perDayOfAll === 0 ? Number.POSITIVE_INFINITY : perDayOfAll - ofAll;
  return Math.max(0, Math.min(perDay - own, Math.max(ofOthers, own === 0 ? 1 : 0)));
}
