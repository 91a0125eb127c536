import { newId } from '@app/contracts/ids';
import type { Client, Database } from '@app/service-kit/database';
import { wholeWork } from '@app/testing/whole-work';
import { expect, test } from 'vitest';
import { listActivity } from '../src/activity/list-activity.ts';
import { rareRows, rareWaitingRows } from '../src/history/index-ranges.rules.ts';
import { listDeliveries } from '../src/history/list-deliveries.ts';
import { anEvent } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();

interface Requested {
  readonly name?: string;
}
type Query = (requested: Requested) => Promise<unknown>;

/** The database, in which something else is committed right after the statement of that name. */
function withCommitAfter(name: string, commit: () => Promise<unknown>): Database {
  const { database } = harness;
  const watch =
    (query: Query): Query =>
    async (requested) => {
      const result = await query(requested);
      if (requested.name === name) await commit();
      return result;
    };
  const pool = { query: watch((requested) => database.pool.query(requested as never)) } as unknown as Database['pool'];
  const transaction: Database['transaction'] = (work, lastOf) =>
    database.transaction((client) =>
      wholeWork(work, lastOf)({ query: watch((requested) => client.query(requested as never)) } as unknown as Client),
    );
  return { ...database, pool, transaction };
}

/** Rows of an endpoint, whose ids are one after the other. */
async function addRows(table: 'deliveries' | 'attempts', of: string, count: number): Promise<void> {
  harness.clock.advance(1_000);
  const [prefix, eventId] = [
    table === 'attempts' ? 'attempt' : 'delivery',
    await anEvent(harness, seller.account),
  ] as const;
  const id = newId(prefix, harness.clock.nowMs());
  await harness.partitions.cover([id]);
  const values = [id, of, seller.account, count, eventId];
  const rowId = `substr($1, 1, 22) || lpad(n::text, 8, '0')`;
  await harness.query(
    table === 'deliveries'
      ? `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, created_at)
         select ${rowId}, $5, $2, $3, 'order.paid', false, 'held', now(), now() from generate_series(1, $4::int) n`
      : `insert into attempts (id, account_id, delivery_id, endpoint_id, event_name, number, created_at, url, status_code,
           duration_ms, outcome)
         select ${rowId}, $3, $5, $2, 'order.paid', 1, now(), 'https://x.example', 200, 5, 'delivered'
         from generate_series(1, $4::int) n`,
    values,
  );
}

test.each([
  ['deliveries', 'deliveries-count-of-ranges', rareWaitingRows, listDeliveries],
  ['attempts', 'activity-count-of-ranges', rareRows, listActivity],
] as const)(
  'an endpoint’s %s of a rare event are all listed, however many of others come meanwhile',
  async (...row) => {
    const [table, countName, rare, list] = row;
    await addRows(table, endpointId, 3);
    const other = newId('webhookEndpoint', harness.clock.nowMs());
    let commits = 0;
    const database = withCommitAfter(countName, async () => {
      commits += 1;
      await addRows(table, other, rare);
    });
    const query = { endpointId, event: 'order.paid' } as const;
    const page: { data: readonly unknown[] } = await list(database, seller.account, query);
    expect([commits, page.data.length]).toEqual([1, 3]);
  },
);
