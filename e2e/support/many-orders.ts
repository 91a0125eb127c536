import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newIdSuffix } from '@app/contracts/ids';
import type { ServiceName } from '@app/contracts/services';
import { type LockSession, openLockSession } from '@app/service-kit/lock-session';
import type { TestNats } from '@app/testing/nats';
import type { Cluster } from './cluster.ts';

const dayMs = 86_400_000;
const portion = 10_000;

/**
 * Gives an account copies of its newest order, spread over the year before, with names and addresses of their own: rows of
 * checkout and facts of metrics, whose numbers are computed again. For pages and lists of many; nothing else knows of them.
 */
export async function addManyOrders(
  platform: Pick<Cluster<TestNats>, 'databaseUrl'>,
  accountId: string,
  count: number,
): Promise<void> {
  const copies = async (
    service: ServiceName,
    copy: (client: LockSession['client'], from: number, ids: string[]) => Promise<unknown>,
  ) => {
    const session = await openLockSession({
      connectionString: platform.databaseUrl(service),
      application_name: 'many-orders',
    });
    const { client } = session;
    try {
      for (let from = 0; from < count; from += portion) {
        const ids = Array.from({ length: Math.min(portion, count - from) }, (_, n) =>
          newIdSuffix(Date.now() - Math.floor(((from + n + 1) / (count + 1)) * 365 * dayMs)),
        );
        await copy(client, from, ids);
      }
      await client.query('vacuum analyze');
    } finally {
      await session.close();
    }
  };
  const copied = (table: string, which: string, values: string) => `
    insert into ${table} overriding user value select copy.*
    from (select t from ${table} as t where account_id = $1 and ${which} limit 1) as original,
      unnest($2::text[]) with ordinality as ids (suffix, n),
      jsonb_populate_record(original.t, jsonb_build_object(${values})) as copy`;
  const time = `now() - $3 * interval '1 second' * ($4 + n)`;
  const copyOrders = copied(
    'orders',
    'not test order by id desc',
    `'id', 'ord_' || suffix, 'created_at', ${time}, 'customer_email', 'buyer-' || ($4 + n) || '@example.com',
      'customer_name', 'Buyer ' || ($4 + n)`,
  );
  const copyFacts = copied(
    'facts',
    `kind = 'order_paid' order by occurred_at desc`,
    `'event_id', 'evt_' || suffix, 'fact_key', 'ord_' || suffix, 'occurred_at', ${time}`,
  );
  const apartSeconds = (365 * dayMs) / 1_000 / (count + 1);
  await copies('checkout', (client, from, ids) => client.query(copyOrders, [accountId, ids, apartSeconds, from]));
  await copies('metrics', (client, from, ids) => client.query(copyFacts, [accountId, ids, apartSeconds, from]));
  await promisify(execFile)(process.execPath, ['services/metrics/src/rebuild.ts', '--account', accountId], {
    env: { ...process.env, DATABASE_URL: platform.databaseUrl('metrics') },
  });
}
