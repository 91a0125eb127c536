import { dayMs, hourMs } from '@app/contracts/durations';
import { type Database, statement } from '@app/service-kit/database';

const reserveStatement = statement<{ count: number }>(
  'emails-sent-reserve',
  `insert into emails_sent as sent (account_id, day, count) select $1, $2::date, 1 where $3 > 0
   on conflict (account_id) do update set
     count = case when sent.day = excluded.day then sent.count + 1 else 1 end, day = excluded.day
   where sent.day <> excluded.day or sent.count < $3
   returning count`,
  { count: 'int4' },
);
const giveBackStatement = statement(
  'emails-sent-give-back',
  'update emails_sent set count = count - 1 where account_id = $1 and day = $2::date and count > 0',
);

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** When emails over the daily limit are tried again: in the first hour of the next day, milliseconds since the epoch. */
export const nextDayMs = (now: Date): number =>
  (Math.floor(now.getTime() / dayMs) + 1) * dayMs + Math.round(Math.random() * hourMs);

/** The row of all accounts together. */
const everyAccount = '';

/** Emails of a UTC day. */
export interface EmailBounds {
  readonly ofAccount: number;
  /** Of all accounts together; 0 for no bound. */
  readonly ofAll: number;
}

/**
 * Counts an email of the account's automations for the UTC day of `now`, before it is submitted: so there are never more,
 * however many go out at once. A process that dies before the submission has counted one that was not sent.
 * Of an account that has sent none that day the first one goes out whatever the others sent: nobody uses up the day of all.
 * @returns what has sent as many as it may: the account, or all accounts together; null when the email may go out
 */
export async function reserveEmail(
  database: Database,
  accountId: string,
  now: Date,
  { ofAccount, ofAll }: EmailBounds,
): Promise<'account' | 'all' | null> {
  const reserve = async (id: string, perDay: number): Promise<number> =>
    (await database.pool.query(reserveStatement([id, dayOf(now), perDay]))).rows[0]?.count ?? 0;
  const ofToday = await reserve(accountId, ofAccount);
  if (ofToday === 0) return 'account';
  if (ofAll === 0 || (await reserve(everyAccount, ofAll)) > 0 || ofToday === 1) return null;
  await database.pool.query(giveBackStatement([accountId, dayOf(now)]));
  return 'all';
}

/** Takes back the counts of an email that was not sent. @param now as `reserveEmail` got it */
export async function giveEmailBack(database: Database, accountId: string, now: Date): Promise<void> {
  for (const id of [accountId, everyAccount]) await database.pool.query(giveBackStatement([id, dayOf(now)]));
}
