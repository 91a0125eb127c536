import { hash } from 'node:crypto';
import { dayMs } from '@app/contracts/durations';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';

/** Of one kind from one account, in a UTC day: more of them in a day are a nuisance, whoever causes them. */
export const toRecipientMax = 10;

/** Whom an email counts for. */
export interface BoundedRecipient {
  readonly accountId: string;
  /** The built-in automation, or the event of the seller's own. */
  readonly kind: string;
  /** As `emailKey` makes it. */
  readonly recipient: string;
}

const reserveStatement = statement(
  'emails-to-recipient-reserve',
  `insert into emails_to_recipients as sent (account_id, kind, recipient, day, count) values ($1, $2, $3, $4::date, 1)
   on conflict (account_id, kind, recipient) do update set
     count = case when sent.day = excluded.day then sent.count + 1 else 1 end, day = excluded.day
   where sent.day <> excluded.day or sent.count < ${toRecipientMax}`,
);
const giveBackStatement = statement(
  'emails-to-recipient-give-back',
  `update emails_to_recipients set count = count - 1
   where account_id = $1 and kind = $2 and recipient = $3 and day = $4::date and count > 0`,
);
const forgetStatement = statement(
  'emails-to-recipient-forget',
  `delete from emails_to_recipients where ctid = any(array(select ctid from emails_to_recipients where day < $1::date order by day limit 1000))`,
);

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** A digest: no address is stored for longer than what it belongs to. */
const valuesOf = ({ accountId, kind, recipient }: BoundedRecipient, now: Date): unknown[] => [
  ...[accountId, kind, hash('sha256', `${accountId} ${recipient}`, 'buffer'), dayOf(now)],
];

/** Counts an email before it is submitted; false when the recipient has had those of the day. */
export async function reserveRecipient({ pool }: Database, to: BoundedRecipient, now: Date): Promise<boolean> {
  return (await pool.query(reserveStatement(valuesOf(to, now)))).rowCount === 1;
}

/** Takes back the count of an email that was not sent. @param now as `reserveRecipient` got it */
export async function giveRecipientBack({ pool }: Database, to: BoundedRecipient, now: Date): Promise<void> {
  await pool.query(giveBackStatement(valuesOf(to, now)));
}

/** Deletes what was counted before yesterday. */
export async function forgetRecipients({ pool }: Database, clock: Clock): Promise<void> {
  const before = dayOf(new Date(clock.nowMs() - dayMs));
  for (let count = 1_000; count === 1_000; ) count = (await pool.query(forgetStatement([before]))).rowCount ?? 0;
}
