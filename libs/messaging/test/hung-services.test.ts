import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { newIdSuffix } from '@app/contracts/ids';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced, listen } from '@app/testing/points';
import type { Msg } from '@nats-io/transport-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { newInbox } from '../src/names.ts';
import { requestBegun, requestDropped, requestLate } from '../src/points.ts';
import { writeContext } from '../src/request-headers.ts';
import { onRequest, type RequestHandler, serveRequests } from '../src/serve-requests.ts';
import {
  addOne,
  addsOne,
  caller,
  eachTestHasDb,
  eachTestRequests,
  getDouble,
  logger,
  totalCommitted,
} from './harness.ts';

guardLeaks();

const rig = eachTestHasDb(eachTestRequests());

async function catalogLink(): Promise<NatsClient> {
  const link = rig.opened(await connectNats(rig.nats.login('catalog')));
  return link;
}

async function serve(...handlers: RequestHandler[]): Promise<void> {
  const link = await catalogLink();
  rig.opened(await serveRequests(link, { version: '0.1.0', description: 'test', handlers, logger }));
}

/** A replica that hangs as a stopped process does: subscribed, and silent. Returns how many requests it was given. */
async function hang(): Promise<() => number> {
  const link = await catalogLink();
  let given = 0;
  const callback = (): void => {
    given += 1;
  };
  for (const { subject } of [getDouble, addOne]) link.connection.subscribe(subject, { queue: 'catalog', callback });
  await link.connection.flush();
  return () => given;
}

/** A replica in a process of its own. */
async function spawnCallee(replies: 'always' | 'never' = 'always'): Promise<SpawnedNode> {
  const { url, user = '', password = '' } = rig.nats.login('catalog');
  const login = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
  const env = { ...login, DATABASE_URL: rig.db.url, REPLIES: replies };
  const callee = await spawnNode(fileURLToPath(new URL('callee.ts', import.meta.url)), env, { readyLine: /^serving$/ });
  rig.opened({ close: () => callee.kill() });
  return callee;
}

const double = onRequest(getDouble, async ({ n }) => ({ doubled: n * 2 }));
const command = () => ({ ...caller, commandId: newIdSuffix(Date.now()) });
const unavailable = { code: 'service_unavailable' };
const unknown = { code: 'outcome_unknown' };

/** As often as NATS needs to give the repeated request to another replica. */
const often = { timeoutMs: 60_000, repeatAfterMs: 50 };
/** Patience for a service that hangs as a whole. */
const hasty = { timeoutMs: 600, repeatAfterMs: 200 };
const zero = () => rig.db.database.pool.query(`insert into effects values (0, 'evt_0')`);

test('one replica that hangs: what it was given is sent again, and answered by another', async () => {
  const given = await hang();
  await serve(
    double,
    onRequest(addOne, async () => ({ total: 1 })),
  );
  const { requester } = rig;
  const read = Array.from({ length: 16 }, (_, n) => requester.request({ ...getDouble, ...often }, { n }, caller));
  expect(await Promise.all(read)).toEqual(read.map((_, n) => ({ doubled: n * 2 })));
  const commanded = Array.from({ length: 16 }, () => requester.request({ ...addOne, ...often }, {}, command()));
  expect(await Promise.all(commanded)).toEqual(commanded.map(() => ({ total: 1 })));
  expect(given()).toBeGreaterThan(0);
});

test('a service that is frozen: a read is refused and a command has an unknown outcome after their time-outs; neither is done once it goes on', async () => {
  await zero();
  const callee = await spawnCallee();
  const { requester } = rig;
  const context = command();
  const { announced, sofar } = listen();
  let waitsStill: Promise<unknown>;
  process.kill(callee.pid, 'SIGSTOP');
  try {
    expect(await requester.reaches('catalog', 200)).toBe(false);
    await expect(requester.request({ ...getDouble, ...hasty }, { n: 1 }, caller)).rejects.toMatchObject(unavailable);
    await expect(requester.request({ ...addOne, ...hasty }, {}, context)).rejects.toMatchObject(unknown);
    waitsStill = requester.request(addOne, {}, command());
  } finally {
    process.kill(callee.pid, 'SIGCONT');
  }
  await announced(requestLate, ({ commandId }) => commandId === context.commandId);
  expect(await waitsStill).toEqual({ total: 1 });
  expect(await requester.request(getDouble, { n: 2 }, caller)).toEqual({ doubled: 4 });
  expect(await requester.reaches('catalog', 10_000)).toBe(true);
  // The caller that was told to repeat it does so.
  expect(await requester.request(addOne, {}, context)).toEqual({ total: 2 });
  expect(sofar(requestBegun).filter(({ commandId }) => commandId === context.commandId)).toHaveLength(1);
});

test('what was sent to a machine that was suspended, as its clock shows when it is set, is done only if its caller repeats it', async () => {
  let total = 0;
  await serve(onRequest(addOne, async () => ({ total: ++total })));
  const setMs = Date.now() + 120_000;
  const set = vi.spyOn(Date, 'now').mockReturnValue(setMs);
  onTestFinished(() => set.mockRestore());
  const { announced } = listen();
  const requested = rig.requester.request({ ...addOne, ...often }, {}, command());
  await announced(requestLate);
  expect(await requested).toEqual({ total: 1 });
});

test('a callee that is killed between its commit and its reply: the repeated command gets the first result', async () => {
  await zero();
  const callee = await spawnCallee('never');
  const requested = rig.requester.request({ ...addOne, ...often }, {}, command());
  await announced(totalCommitted);
  await callee.kill();
  await serve(addsOne(rig.db.database));
  expect(await requested).toEqual({ total: 1 });
  const { rows } = await rig.db.database.pool.query('select n from effects');
  expect(rows).toEqual([{ n: 1 }]);
});

test('what is sent again while its replica works on it is dropped, and answered once', async () => {
  let begun = 0;
  const droppedOften = Promise.withResolvers<void>();
  const slow = onRequest(getDouble, async ({ n }) => {
    begun += 1;
    await droppedOften.promise;
    return { doubled: n * 2 };
  });
  await serve(slow);
  const requested = rig.requester.request({ ...getDouble, ...often }, { n: 3 }, caller);
  await announced(requestDropped, ({ subject }) => subject === getDouble.subject, 3);
  droppedOften.resolve();
  expect(await requested).toEqual({ doubled: 6 });
  expect(begun).toBe(1);
});

test('the callee knows until when it is waited for, and a caller’s own deadline is kept', async () => {
  const left: number[] = [];
  const never = Promise.withResolvers<{ total: number }>();
  await serve(
    onRequest(addOne, (_input, { deadlineMs }) => {
      left.push(deadlineMs - Date.now());
      return never.promise;
    }),
  );
  const { requester } = rig;
  await expect(requester.request({ ...addOne, ...hasty }, {}, command())).rejects.toMatchObject(unknown);
  const sooner = { ...command(), deadlineMs: Date.now() + 300 };
  await expect(requester.request(addOne, {}, sooner)).rejects.toMatchObject(unknown);
  never.resolve({ total: 1 });
  expect(Math.max(...left)).toBeLessThanOrEqual(hasty.timeoutMs);
  expect(left.at(-1)).toBeLessThanOrEqual(300);
});

test('a reply that arrived while this process was paused is read before silence counts: nothing is requested twice', async () => {
  const turns = new Int32Array(new SharedArrayBuffer(8));
  const login = rig.nats.login('catalog');
  const workerData = { login, subject: getDouble.subject, reply: '{"doubled":8}', turns };
  const responder = new Worker(new URL('late-responder.ts', import.meta.url), { workerData });
  rig.opened({ close: () => responder.terminate() });
  await once(responder, 'message');
  const publish = vi.spyOn(rig.caller.connection, 'publish');
  const requested = rig.requester.request(getDouble, { n: 4 }, caller);
  await once(responder, 'message');
  Atomics.store(turns, 0, 1);
  Atomics.notify(turns, 0);
  // This thread is paused until the other one has replied, and then for longer than the request is waited for.
  Atomics.wait(turns, 1, 0, 30_000);
  Atomics.wait(turns, 1, 1, getDouble.timeoutMs);
  expect(await requested).toEqual({ doubled: 8 });
  expect(publish.mock.calls.map(([subject]) => subject)).toEqual([getDouble.subject]);
});

test('a replica of release 0.2, which says that it works on a request, is waited for', async () => {
  const link = await catalogLink();
  link.connection.subscribe(getDouble.subject, {
    queue: 'catalog',
    callback: (_err, message) => {
      const signed = writeContext({ ...caller, commandId: '', timeoutMs: 0, traceparent: undefined });
      signed.set('working', '1');
      message.respond('', { headers: signed });
      message.respond('{"doubled":10}');
    },
  });
  await link.connection.flush();
  expect(await rig.requester.request(getDouble, { n: 5 }, caller)).toEqual({ doubled: 10 });
});

test('whose clock is five seconds late is answered all the same', async () => {
  await serve(double);
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 6_000);
  const headers = writeContext({ ...caller, commandId: '', timeoutMs: 5_000, traceparent: undefined });
  now.mockRestore();
  const inbox = newInbox('gateway', 'catalog');
  const replied = new Promise<Msg>((resolve) => {
    rig.caller.connection.subscribe(inbox, { max: 1, callback: (_err, message) => resolve(message) });
  });
  rig.caller.connection.publish(getDouble.subject, '{"n":1}', { reply: inbox, headers });
  expect((await replied).json()).toEqual({ doubled: 2 });
});

test('a request before the service has subscribed again after nats-server’s return waits a moment for it', async () => {
  await rig.nats.kill();
  await rig.nats.start();
  expect(await rig.caller.whenConnected(5_000)).toBe(true);
  const [answered] = await Promise.all([rig.requester.request(getDouble, { n: 5 }, caller), serve(double)]);
  expect(answered).toEqual({ doubled: 10 });
  await rig.nats.restart();
});

test('a process that closes soon refuses a command with an unknown outcome as such', async () => {
  const ended = Promise.withResolvers<{ total: number }>();
  await serve(onRequest(addOne, () => ended.promise));
  const context = command();
  const requested = rig.requester.request(addOne, {}, context);
  // A command that is given to no service within that time has an outcome.
  await announced(requestBegun, ({ commandId }) => commandId === context.commandId);
  rig.requester.finishWithin(300);
  await expect(requested).rejects.toMatchObject(unknown);
  ended.resolve({ total: 1 });
});

test('a command that comes when the time of a process that closes is over is given to no service, and refused as such', async () => {
  let begun = 0;
  const add = onRequest(addOne, async () => {
    begun += 1;
    return { total: begun };
  });
  await serve(add);
  expect(await rig.requester.request(addOne, {}, command())).toEqual({ total: 1 });
  const overdue = { ...command(), deadlineMs: Date.now() };
  await expect(rig.requester.request(addOne, {}, overdue)).rejects.toMatchObject(unavailable);
  rig.requester.finishWithin(0);
  await expect(rig.requester.request(addOne, {}, command())).rejects.toMatchObject(unavailable);
  expect(begun).toBe(1);
});
