import { createWaker } from '@app/service-kit/waker';
import { guardLeaks } from '@app/testing/leak-guard';
import type { JsMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EventHandler, onEvent } from '../src/event-handler.ts';
import { handleBatch } from '../src/handle-batch.ts';
import { createOutageRetry } from '../src/outage-retry.ts';
import { attemptsMax } from '../src/retry-policy.ts';
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
  const carrier = { seq: n, redelivered: false, subject: counted.subject, info: { stream: 'EVT_TEST' } };
  return { ...carrier, headers: carried, string: () => JSON.stringify(event) } as unknown as JsMsg;
}

const redelivered = (n: number): JsMsg => ({ ...messageOf(n), redelivered: true }) as unknown as JsMsg;
const anotherOf = (n: number): JsMsg =>
  ({ ...messageOf(n), string: () => messageOf(n).string().replace('acc_1', 'acc_2') }) as unknown as JsMsg;

const acknowledged: number[] = [];
const again: number[] = [];
beforeEach(() => {
  for (const seen of [acknowledged, again]) seen.length = 0;
});

const handle = async (handler: EventHandler, messages: readonly JsMsg[]): Promise<void> => {
  const service = 'metrics' as const;
  const closing = { isClosing: () => false, onBegin: () => undefined };
  const outageRetry = createOutageRetry({ service, logger, pause: createWaker(), pauseMs: 500, ...closing });
  const buffer = {
    ack: ({ seq }: JsMsg) => void acknowledged.push(seq),
    retry: ({ seq }: JsMsg) => void again.push(seq),
  };
  const run = { service, database: db.database, handler, logger, outageRetry, buffer, retryMs: 1_000 };
  await handleBatch(run, messages);
};

const lettersOf = async () => {
  const { rows } = await db.database.pool.query('select event_id, error, payload from dead_letters order by event_id');
  return rows as { event_id: string; error: string; payload: string }[];
};

/** With all attempts but the last. */
const almostGivenUp = () =>
  db.database.pool.query(`insert into event_attempts (event_id, attempts) values ('evt_1', ${attemptsMax - 1})`);

const attempted = async () => (await db.database.pool.query('select event_id from event_attempts order by 1')).rows;

const failing = onEvent(counted, async () => {
  throw new Error('this one never works');
});

test('an event that was given up, and whose acknowledgement nats-server has lost, is tried once more and given up again', async () => {
  await almostGivenUp();
  await handle(failing, [redelivered(1), messageOf(2)]);
  expect([acknowledged, again]).toEqual([[1], [2]]);
  // As delivered again, and as new, where the server has lost its delivery too.
  for (const message of [redelivered(1), messageOf(1)]) await handle(failing, [message]);
  expect([acknowledged, again]).toEqual([[1, 1, 1], [2]]);
  // Beside another event of its id.
  again.length = 0;
  await handle(failing, [messageOf(1), { ...anotherOf(1), seq: 9 } as unknown as JsMsg]);
  expect([acknowledged, again]).toEqual([[1, 1, 1, 1], [9]]);
  const letter = { event_id: 'evt_1', error: 'Error: this one never works', payload: messageOf(1).string() };
  expect(await lettersOf()).toEqual([letter]);
  expect(await attempted()).toEqual([{ event_id: 'evt_1' }, { event_id: 'evt_2' }]);
});

test.each([
  ['its replay is requested', redelivered(1), 'update dead_letters set replay_requested_at = now()'],
  ['its replay has ended', redelivered(1), 'delete from dead_letters'],
  ['it is another of its id, as after a restored backup', anotherOf(1), 'select'],
])('an event that was given up is tried as any where %s', async (_, message, change) => {
  await almostGivenUp();
  await handle(failing, [redelivered(1)]);
  await db.database.pool.query(change);
  await handle(failing, [message]);
  expect([acknowledged, again]).toEqual([[1], [1]]);
  expect(await attempted()).toEqual([{ event_id: 'evt_1' }]);
});

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
  await handle(slow, range(0, 100).map(messageOf));
  expect(sizes).toEqual([10, 1, 1, 1]);
  expect(acknowledged).toEqual(range(0, 100).filter((n) => n % 10 !== 0));
  expect(again.toSorted((a, b) => a - b)).toEqual(range(0, 100).filter((n) => n % 10 === 0));
});
