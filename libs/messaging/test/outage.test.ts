import { durableName } from '@app/contracts/define';
import { type Database, openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectObserver } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import { startTcpProxy, type TcpProxy } from '@app/testing/tcp-proxy';
import { type ConsumerInfo, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onEvent } from '../src/event-handler.ts';
import { batchHeld } from '../src/points.ts';
import {
  counted,
  databaseOptions,
  eachTestConsumes,
  handled,
  insertEffects,
  numbers,
  publish,
  range,
  recordingLogger,
} from './harness.ts';

guardLeaks();

const rig = eachTestConsumes();
let proxy: TcpProxy;
let database: Database;
let manager: JetStreamManager;

/** A server that does not answer is given up after three seconds instead of twenty. */
const limits = { statementMs: 2_500, silenceMs: 500, connectMs: 2_500 };

beforeEach(async () => {
  proxy = rig.opened(await startTcpProxy(rig.db.url));
  database = rig.opened(await openDatabase({ ...databaseOptions(proxy.url), limits }));
  manager = await jetstreamManager(rig.opened(await connectObserver(rig.nats)));
});

afterEach(() => proxy.restore());

const durableInfo = (): Promise<ConsumerInfo> =>
  manager.consumers.info('EVT_CHECKOUT', durableName('metrics', counted));

const batchMax = 25;
/** What one replica may hold: a batch, two that wait for it, and two in its NATS client. */
const heldMax = 5 * batchMax;

test.each([
  ['refuse', 5],
  ['hang', 3],
] as const)(
  'while the database is away (%s) a consumer holds what it has, says so once, and goes on by itself',
  async (how, attempts) => {
    const { logger, lines, logged } = recordingLogger();
    const handlers = [{ ...onEvent(counted, insertEffects), batchMax }];
    const timing = { outageMs: 100 };
    await rig.keep({ ackWaitMs: 1_000 });
    await rig.consume({ database, logger, handlers, timing });
    await publish(rig.checkout, range(0, 10));
    await handled(rig.listener, range(0, 10));
    const before = await durableInfo();

    proxy.fail(how);
    await publish(rig.checkout, range(10, 300));
    // The attempts and the pauses between them outlast the wait for an acknowledgement, after which NATS delivers again.
    await rig.listener.announced(batchHeld, () => true, attempts);
    expect(lines).toEqual([{ level: 'warn', text: 'consuming paused: the database is unavailable' }]);
    const during = await durableInfo();
    expect(during.num_ack_pending).toBeLessThanOrEqual(heldMax);
    // Each delivery counts, repeated ones too.
    expect(during.delivered.consumer_seq).toBeLessThanOrEqual(before.delivered.consumer_seq + heldMax);

    proxy.restore();
    await handled(rig.listener, range(0, 300));
    expect(await numbers(rig.db.database)).toEqual(range(0, 300));
    await logged(2);
    expect(lines.slice(1)).toEqual([{ level: 'info', text: 'consuming resumed' }]);
  },
);

test('a consumer that closes while the database is away gives its batch back at once', async () => {
  // What is not given back comes after an hour.
  await rig.keep({ ackWaitMs: 3_600_000 });
  const consumers = await rig.consume({ database });
  proxy.fail('refuse');
  const failing = listen();
  await publish(rig.checkout, range(0, 20));
  await failing.announced(batchHeld);
  await consumers.close();
  await rig.consume();
  await handled(rig.listener, range(0, 20));
  expect(await numbers(rig.db.database)).toEqual(range(0, 20));
});
