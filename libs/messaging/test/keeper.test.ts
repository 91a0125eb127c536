import { durableName, streamName } from '@app/contracts/define';
import { orderPaid } from '@app/contracts/orders';
import { serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectCaller, connectObserver } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { beforeEach, expect, test, vi } from 'vitest';
import { beginReplay, renewOwnDurables } from '../src/ask-keeper.ts';
import { connectNats } from '../src/connect.ts';
import { startKeeper } from '../src/keeper.ts';
import { streamsKept } from '../src/points.ts';
import { eachTestHasNats, logger } from './harness.ts';

guardLeaks();

const rig = eachTestHasNats();
let manager: JetStreamManager;

beforeEach(async () => {
  manager = await jetstreamManager(rig.opened(await connectObserver(rig.nats)));
});

const wanted = serviceNames
  .flatMap((consumer) =>
    topology[consumer].consumes.map((event) => `${streamName(event.service)} ${durableName(consumer, event)}`),
  )
  .toSorted();

async function present(): Promise<string[]> {
  const found: string[] = [];
  for await (const stream of manager.streams.names())
    for await (const { name } of manager.consumers.list(stream)) found.push(`${stream} ${name}`);
  return found.toSorted();
}

const keeperLink = async () => rig.opened(await connectNats(rig.nats.login('keeper')));
const link = async (service: 'checkout' | 'metrics') => rig.opened(await connectNats(rig.nats.login(service)));

test('a keeper makes every stream and every durable of the topology, and no other', async () => {
  await rig.keep();
  expect(await present()).toEqual(wanted);
});

test.each([1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 60])(
  'a keeper that dies at its call %i of JetStream leaves what the next one completes',
  async (deadly) => {
    const dying = await connectNats(rig.nats.login('keeper'));
    const { request } = dying.connection;
    let calls = 0;
    vi.spyOn(dying.connection, 'request').mockImplementation(async (...call) => {
      calls += 1;
      if (calls >= deadly) await dying.connection.close();
      return await request.apply(dying.connection, call);
    });
    const first = await startKeeper({ nats: dying, logger });
    await expect(first.begun).rejects.toThrow();
    await first.close();
    await rig.keep();
    expect(await present()).toEqual(wanted);
  },
);

test('a publisher that misses its stream has it made again, with its durables', async () => {
  await rig.keep();
  await manager.streams.delete('EVT_CHECKOUT');
  await renewOwnDurables(await link('checkout'), 0);
  expect(await present()).toEqual(wanted);
});

test('two keepers make everything once', async () => {
  await Promise.all([rig.keep(), rig.keep()]);
  expect(await present()).toEqual(wanted);
});

test('a server all of whose storage is set aside for bounds has its last stream once they are lowered', async () => {
  // The server offers 1 TB: four bounds of five, to the byte.
  await expect(rig.keep({ streamMaxBytes: 2 ** 38 })).rejects.toThrow('insufficient storage');
  const listener = listen();
  rig.opened(await startKeeper({ nats: await keeperLink(), logger, streamMaxBytes: 2 ** 37 }));
  await listener.announced(streamsKept, ({ failed }) => failed.length === 0);
  expect(await present()).toEqual(wanted);
});

test.each([
  ['an acknowledgement of a stream', '{"stream":"EVT_CHECKOUT","seq":1}'],
  ['an event', '{"id":"evt_1","accountId":"acc_1","occurredAt":"2026-01-01T00:00:00.000Z","data":{}}'],
  ['something else beside it', '{"past":0,"seq":1}'],
  ['nothing', ''],
])('a keeper does not answer where %s is the request', async (_what, body) => {
  await rig.keep();
  const caller = rig.opened(await connectCaller(rig.nats));
  const before = (await manager.consumers.info('EVT_CHECKOUT', durableName('metrics', orderPaid))).created;
  await expect(caller.request('keep.checkout.renew', body, { timeout: 200 })).rejects.toThrow();
  await expect(caller.request('keep.metrics.replay', body, { timeout: 200 })).rejects.toThrow();
  expect((await manager.consumers.info('EVT_CHECKOUT', durableName('metrics', orderPaid))).created).toBe(before);
});

test('a second replay of the same events is refused, and says so', async () => {
  await rig.keep();
  const metrics = await link('metrics');
  expect(await beginReplay(metrics, orderPaid, new Date(0))).toBe(0);
  await expect(beginReplay(metrics, orderPaid, new Date(1))).rejects.toThrow('the keeper of the streams refused');
});

test('who asks a keeper that is away learns it', async () => {
  await expect(renewOwnDurables(await link('checkout'), 0)).rejects.toThrow('does not answer');
});
