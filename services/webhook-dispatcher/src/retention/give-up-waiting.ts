import { dayMs } from '@app/contracts/durations';
import { idFloor } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { insertNotices, newNotice } from '../activity/notices.ts';
import { reasonSql } from '../deliveries/end-reasons.rules.ts';
import { finishDeliveries, insertFinished, keptColumns } from '../deliveries/finish-deliveries.ts';
import { bodyKeepDays } from '../storage/partition.rules.ts';
import type { Partitions } from '../storage/partitions.ts';
import { givenUpText } from '../texts/activity.rules.ts';

/** Deliveries that one transaction gives up, which takes about 20 ms. */
const batchMax = 1_000;

/**
 * Gives up deliveries that have waited for as long as bodies are kept. A delivery in flight is left alone: its attempt
 * decides. No seller wants the webhooks of an endpoint without a URL, so no notification names them.
 */
export const giveUpStatement = statement<GivenUpRow>(
  'retention-give-up-waiting',
  `with given_up as (
     delete from deliveries d
     where id = any (array(
       select id from deliveries where id < $1 and status in ('pending', 'held')
       order by id limit $3 for update skip locked))
     returning ${keptColumns}
   ), finished as (${insertFinished('given_up', { status: `'failed'`, reason: reasonSql('expired'), at: '$2' })})
   select g.account_id, g.endpoint_id, e.url, count(*)::int as count, min(g.created_at) as oldest, max(g.created_at) as newest
   from given_up g left join endpoints e on e.id = g.endpoint_id and e.account_id = g.account_id
   group by g.account_id, g.endpoint_id, e.url`,
  { account_id: 'text', endpoint_id: 'text', url: 'text', count: 'int4', oldest: 'timestamptz', newest: 'timestamptz' },
);

interface GivenUpRow {
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly url: string | null;
  readonly count: number;
  readonly oldest: Date;
  readonly newest: Date;
}

export interface RetentionStorage {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly clock: Clock;
}

/** Gives up what has waited for 30 days, in batches; Recent activity says how much. */
export async function giveUpWaiting(storage: RetentionStorage, isClosing: () => boolean): Promise<void> {
  const before = idFloor('delivery', storage.clock.nowMs() - bodyKeepDays * dayMs);
  for (let count = batchMax; count === batchMax && !isClosing(); )
    count = await finishDeliveries(storage, () =>
      storage.database.transaction((client) => giveUpBatch(client, storage, before)),
    );
}

async function giveUpBatch(client: Client, { clock, partitions }: RetentionStorage, before: string): Promise<number> {
  const { rows } = await client.query(giveUpStatement([before, clock.now(), batchMax]));
  const notices = rows.flatMap(({ account_id: accountId, endpoint_id: endpointId, url, count, oldest, newest }) => {
    if (url === null) return [];
    return [newNotice(clock, { accountId, summary: givenUpText(url, count, oldest, newest), url, endpointId })];
  });
  if (notices.length > 0) await insertNotices(client, partitions, notices);
  return rows.reduce((sum, row) => sum + row.count, 0);
}
