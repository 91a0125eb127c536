import { hourMs } from '@app/contracts/durations';
import { type Database, statement } from '@app/service-kit/database';
import { builtInId } from './automation-row.ts';
import { type BuiltInKey, digestedNotices, type EmailAction } from './built-in.rules.ts';

/** Other notices that go out in one email. The rest has the next hour's. */
const othersMax = 50;
/** Ids of an account that are kept, the latest: each is looked for within hours. */
const idsMax = 200;

/** One email an hour: whoever comes first takes the turn. What a digest had already takes none. */
const takeTurnStatement = statement(
  'seller-digest-take-turn',
  `insert into seller_digests as d (account_id, sent_at) values ($1, $3)
   on conflict (account_id) do update set sent_at = excluded.sent_at
   where d.sent_at <= $3::timestamptz - interval '1 hour' and $2 <> all (d.delivery_ids)`,
);
const readStatement = statement<{ sent_at: Date; is_sent: boolean }>(
  'seller-digest-read',
  'select sent_at, $2 = any (delivery_ids) as is_sent from seller_digests where account_id = $1',
  { sent_at: 'timestamptz', is_sent: 'bool' },
);
const giveTurnBackStatement = statement(
  'seller-digest-give-turn-back',
  `update seller_digests set sent_at = sent_at - interval '1 hour' where account_id = $1 and sent_at = $2`,
);
/** Those that are being attempted at this moment too: they find the turn taken, and wait. */
const othersStatement = statement<OtherNotice>(
  'seller-digest-others',
  `select d.id, e.built_in, e.action, b.body
   from deliveries d
   join endpoints e on e.account_id = $1 and e.id = d.endpoint_id and e.active
   join event_bodies b on b.account_id = $1 and b.event_id = d.event_id
   where d.account_id = $1 and d.status in ('pending', 'sending') and d.endpoint_id = any ($2) and d.id <> $3 and not d.test
     and not exists (select from seller_digests s where s.account_id = $1 and d.id = any (s.delivery_ids))
   order by d.id limit ${othersMax}`,
  { id: 'text', built_in: 'text', action: 'jsonb', body: 'text' },
);
const keepStatement = statement(
  'seller-digest-keep',
  `update seller_digests set delivery_ids = (delivery_ids || $2::text[])[greatest(1, cardinality(delivery_ids) + cardinality($2::text[]) - ${idsMax - 1}):]
   where account_id = $1`,
);

/** A notice that waits, and goes out with another one. */
export interface OtherNotice {
  readonly id: string;
  readonly built_in: BuiltInKey;
  readonly action: EmailAction;
  readonly body: string;
}

export type Turn =
  /** It goes out now, with all others that wait. */
  | { readonly kind: 'now'; readonly others: readonly OtherNotice[] }
  /** An email of the last hour had it. */
  | { readonly kind: 'sent' }
  | { readonly kind: 'later'; readonly untilMs: number };

/** Whether a notice to the seller goes out now: one email an hour has all that came meanwhile. */
export async function takeTurn(
  { pool }: Database,
  { accountId, deliveryId, now }: { readonly accountId: string; readonly deliveryId: string; readonly now: Date },
): Promise<Turn> {
  if ((await pool.query(takeTurnStatement([accountId, deliveryId, now]))).rowCount === 1) {
    const ids = [...digestedNotices].map((key) => builtInId(accountId, key));
    return { kind: 'now', others: (await pool.query(othersStatement([accountId, ids, deliveryId]))).rows };
  }
  const [last] = (await pool.query(readStatement([accountId, deliveryId]))).rows;
  if (last?.is_sent) return { kind: 'sent' };
  return { kind: 'later', untilMs: (last?.sent_at ?? now).getTime() + hourMs };
}

/** Of an email that did not go out. A process that dies before this keeps the account's notices back for an hour, and loses none. */
export async function giveTurnBack({ pool }: Database, accountId: string, now: Date): Promise<void> {
  await pool.query(giveTurnBackStatement([accountId, now]));
}

/** The others of an email that went out: each ends when it is due. A process that dies before this sends them once more. */
export async function keepSent({ pool }: Database, accountId: string, others: readonly OtherNotice[]): Promise<void> {
  if (others.length > 0) await pool.query(keepStatement([accountId, others.map(({ id }) => id)]));
}
