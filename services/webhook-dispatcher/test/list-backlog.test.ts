import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { listDeliveries } from '../src/history/list-deliveries.ts';
import { anEvent } from './orders.ts';
import { costOf, planModes } from './read-cost.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();

const pageRows = 101;
const waiting = 4_000;
/** Of what waits: two statuses of eleven events. */
const ranges = 22;

/** Nearly all that waits in a young database is one account's: the planner expects any account to have all of it. */
async function addBacklog(): Promise<void> {
  const eventId = await anEvent(harness, seller.account);
  await harness.query(
    `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, priority, next_attempt_at, created_at)
     select substr($1, 1, 22) || lpad(n::text, 8, '0'), $2, case when n % 120 = 0 then $3 else substr($3, 1, 25) || n % 120 end,
       case when n % 20 = 0 then 'another' else $4 end, 'order.paid', false, case when n % 20 = 1 then 'held' else 'pending' end,
       1, now() + interval '1 day', now()
     from generate_series(1, $5::int) n`,
    [newId('delivery', harness.clock.nowMs()), eventId, endpointId, seller.account, waiting],
  );
  await harness.query('analyze');
}

test('a page of deliveries reads no more of an account with a backlog, although nearly all that waits is its own', async () => {
  await addBacklog();
  for (const mode of planModes)
    for (const filter of [{}, { status: 'pending' }, { event: 'order.paid' }, { endpointId }] as const) {
      const { rows } = await costOf(harness.database, mode, (requested) =>
        listDeliveries(requested, seller.account, filter),
      );
      const read = { mode, filter, rows };
      expect(read).toEqual({ ...read, rows: expect.toSatisfy((n: number) => n <= pageRows * (7 + ranges)) });
    }
});
