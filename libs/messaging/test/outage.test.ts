import { durableName } from '@app/contracts/define';
import { type Database, openDatabase } from '@app/service-kit/database';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectObserver, createNatsServer, type TestNatsServer } from '@app/testing/nats';
import { closedAfterEach } from '@app/testing/opened';
import { startTcpProxy, type TcpProxy } from '@app/testing/tcp-proxy';
import { type ConsumerInfo, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectNats } from '../src/connect.ts';
import { startConsumers } from '../src/consume.ts';
import { onEvent } from '../src/event-handler.ts';
import { ensureStream, openStreams } from '../src/streams.ts';
import {
  counted,
  databaseOptions,
  insertEffects,
  numbers,
  openTestDb,
  publish,
  range,
  recordingLogger,
  type TestDb,
  testLinks,
} from './harness.ts';

guardLeaks();

let nats: TestNatsServer;
let db: TestDb;
let proxy: TcpProxy;
let database: Database;
let manager: JetStreamManager;
const opened = closedAfterEach();

beforeEach(async () => {
  nats = opened(await createNatsServer(testLinks));
  db = opened(await openTestDb());
  proxy = opened(await startTcpProxy(db.url));
  // A server that does not answer is given up after four seconds instead of twenty.
  database = opened(
    await openDatabase({ ...databaseOptions(proxy.url), limits: { statementMs: 2_500, silenceMs: 1_500 } }),
  );
  const observer = opened(await connectObserver(nats));
  manager = await jetstreamManager(observer);
});

afterEach(() => proxy.restore());

const durableInfo = (): Promise<ConsumerInfo> =>
  manager.consumers.info('EVT_CHECKOUT', durableName('metrics', counted));

/** What one replica may hold: a batch of 250, 500 that wait for it, and 500 in its NATS client. */
const heldMax = 1_250;

test.each(['refuse', 'hang'] as const)(
  'while the database is away (%s) a consumer holds what it has, says so once, and goes on by itself',
  async (how) => {
    const producer = await connectNats(nats.login('checkout'));
    const link = await connectNats(nats.login('metrics'));
    await ensureStream(await openStreams(producer), 'checkout', 1);
    const { logger, lines } = recordingLogger();
    const consumers = startConsumers({ nats: link, database, logger, handlers: [onEvent(counted, insertEffects)] });
    opened(link);
    opened(producer);
    opened(consumers);
    await publish(producer, range(0, 10));
    await eventually(async () => (await numbers(db.database)).length === 10);

    proxy.fail(how);
    await publish(producer, range(10, 3_000));
    await eventually(() => lines.length > 0, { withinMs: 30_000 });
    // Three tries to connect that hang outlast the wait for an acknowledgement, after which NATS delivers again.
    const until = proxy.failedConnections + 3;
    await eventually(() => proxy.failedConnections >= until, { withinMs: 30_000 });
    expect(lines).toEqual([{ level: 'warn', text: 'events wait: the database does not take them' }]);
    const during = await durableInfo();
    expect(during.num_ack_pending).toBeLessThanOrEqual(heldMax);
    // Each delivery counts, repeated ones too.
    expect(during.delivered.consumer_seq).toBeLessThanOrEqual(10 + heldMax);

    proxy.restore();
    await eventually(async () => (await numbers(db.database)).length === 3_000, { withinMs: 40_000 });
    expect(await numbers(db.database)).toEqual(range(0, 3_000));
    expect(lines.slice(1)).toEqual([{ level: 'info', text: 'events are taken again' }]);
  },
  120_000,
);

test('a consumer that closes while the database is away gives its batch back at once', async () => {
  const producer = await connectNats(nats.login('checkout'));
  const link = await connectNats(nats.login('metrics'));
  await ensureStream(await openStreams(producer), 'checkout', 1);
  const { logger, lines } = recordingLogger();
  const consumers = startConsumers({ nats: link, database, logger, handlers: [onEvent(counted, insertEffects)] });
  opened(link);
  opened(producer);
  proxy.fail('refuse');
  await publish(producer, range(0, 20));
  await eventually(() => lines.length > 0);
  await consumers.close();
  const healthy = startConsumers({
    nats: link,
    database: db.database,
    logger,
    handlers: [onEvent(counted, insertEffects)],
  });
  opened(healthy);
  await eventually(async () => (await numbers(db.database)).length === 20);
});
