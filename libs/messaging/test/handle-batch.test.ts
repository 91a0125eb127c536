import { createWaker } from '@app/service-kit/waker';
import { guardLeaks } from '@app/testing/leak-guard';
import type { JsMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onEvent } from '../src/event-handler.ts';
import { handleBatch } from '../src/handle-batch.ts';
import { createOutageRetry } from '../src/outage-retry.ts';
import { counted, logger, openTestDb, range, type TestDb } from './harness.ts';

guardLeaks();

let db: TestDb;
beforeEach(async () => {
  db = await openTestDb();
});
afterEach(() => db.close());

function messageOf(n: number): JsMsg {
  const carried = headers();
  carried.append('Nats-Msg-Id', `evt_${n}`);
  const event = { id: `evt_${n}`, accountId: 'acc_1', occurredAt: new Date(0).toISOString(), data: { n } };
  return { seq: n, redelivered: false, headers: carried, string: () => JSON.stringify(event) } as unknown as JsMsg;
}

test('three statements in a row that time out end the batch, also with events between them that do not concern', async () => {
  const sizes: number[] = [];
  const slow = onEvent(
    counted,
    async (events, client) => {
      sizes.push(events.length);
      // Of this statement alone: any other may take that long on a machine that is busy.
      await client.query('set local statement_timeout = 100');
      await client.query('select pg_sleep(60)');
    },
    ({ n }) => n % 10 === 0,
  );
  const acknowledged: number[] = [];
  const again: number[] = [];
  const buffer = {
    ack: ({ seq }: JsMsg) => void acknowledged.push(seq),
    retry: ({ seq }: JsMsg) => void again.push(seq),
  };
  const pause = createWaker();
  const service = 'metrics' as const;
  const closing = { isClosing: () => false, onBegin: () => undefined };
  const outageRetry = createOutageRetry({ service, logger, pause, pauseMs: 500, ...closing });
  const run = { service, database: db.database, handler: slow, logger, outageRetry, buffer, retryMs: 1_000 };
  await handleBatch(run, range(0, 100).map(messageOf));
  expect(sizes).toEqual([10, 1, 1, 1]);
  expect(acknowledged).toEqual(range(0, 100).filter((n) => n % 10 !== 0));
  expect(again.toSorted((a, b) => a - b)).toEqual(range(0, 100).filter((n) => n % 10 === 0));
});
