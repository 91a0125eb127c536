import { newIdSuffix } from '@app/contracts/ids';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { quickestMs } from '@app/testing/quickest';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import { timePasses } from '@app/testing/time-passes';
import type { Msg } from '@nats-io/transport-node';
import { expect, test, vi } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { pingSubject, writeContext } from '../src/request-headers.ts';
import { createRequester, type Requester } from '../src/requester.ts';
import { onRequest, type RequestHandler, Serialized, serveRequests } from '../src/serve-requests.ts';
import { addOne, ask, askDouble, eachTestAsks, logger } from './harness.ts';

guardLeaks();

const rig = eachTestAsks();

async function catalogLink(): Promise<NatsClient> {
  const link = rig.opened(await connectNats(rig.nats.login('catalog')));
  return link;
}

async function serve(...answers: RequestHandler[]): Promise<void> {
  const link = await catalogLink();
  const served = await serveRequests(link, { version: '0.1.0', description: 'test', handlers: answers, logger });
  rig.opened(served);
}

/** A replica that hangs as a stopped process does: subscribed, and silent. Returns how many requests it was given. */
async function hang(): Promise<() => number> {
  const link = await catalogLink();
  let given = 0;
  const callback = (): void => {
    given += 1;
  };
  for (const { subject } of [askDouble, addOne]) link.connection.subscribe(subject, { queue: 'catalog', callback });
  link.connection.subscribe(pingSubject('catalog'), { callback: () => undefined });
  await link.connection.flush();
  return () => given;
}

const double = onRequest(askDouble, async ({ n }) => ({ doubled: n * 2 }));
const command = () => ({ ...ask, commandId: newIdSuffix(Date.now()) });

test('a replica that hangs refuses no read: the next try reaches another replica', async () => {
  const given = await hang();
  await serve(double);
  const asked = Array.from({ length: 16 }, (_, n) => rig.requester.request(askDouble, { n }, ask));
  expect(await Promise.all(asked)).toEqual(asked.map((_, n) => ({ doubled: n * 2 })));
  expect(given()).toBeGreaterThan(0);
});

test('a command given to a replica that hangs is repeated and answered by another', async () => {
  const given = await hang();
  await serve(
    double,
    onRequest(addOne, async () => ({ total: 1 })),
  );
  const asked = Array.from({ length: 16 }, () => rig.requester.request(addOne, {}, command()));
  expect(await Promise.all(asked)).toEqual(asked.map(() => ({ total: 1 })));
  expect(given()).toBeGreaterThan(0);
});

/** How soon a caller is refused that knows nothing yet of the service. */
const refusalMs = (request: (requester: Requester) => Promise<unknown>): Promise<number> =>
  quickestMs(1_000, async () => {
    await expect(request(createRequester(rig.caller))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

test('a service that hangs refuses reads and commands within a second, and was given no command', async () => {
  const given = await hang();
  expect(await refusalMs((requester) => requester.request(addOne, {}, command()))).toBeLessThan(1_000);
  expect(given()).toBe(0);
  expect(await refusalMs((requester) => requester.request(askDouble, { n: 1 }, ask))).toBeLessThan(1_000);
  await serve(double);
  expect(await rig.requester.reaches('catalog', 1_000)).toBe(true);
  expect(await rig.requester.request(askDouble, { n: 2 }, ask)).toEqual({ doubled: 4 });
});

test('a request that is worked on for long is waited for and not repeated', async () => {
  let begun = 0;
  const slow = onRequest(askDouble, async ({ n }) => {
    begun += 1;
    await timePasses(1_500);
    return { doubled: n * 2 };
  });
  await serve(slow);
  // More than once only where this machine is busy: a service that gives no sign for a third of a second is asked again.
  for (let times = 0; times < 5 && begun !== 1; times += 1) {
    begun = 0;
    expect(await rig.requester.request(askDouble, { n: 3 }, ask)).toEqual({ doubled: 6 });
  }
  expect(begun).toBe(1);
});

test('after a pause of this process, which may be the machine’s, a callee gets the time anew: nothing is asked twice', async () => {
  const link = await catalogLink();
  let given = 0;
  const callback = (err: unknown, message: Msg): void => {
    given += 1;
    // As a callee that stood still as well: its first sign comes a while after the pause.
    if (err === null) void timePasses(800).then(() => message.respond('{"doubled":8}'));
  };
  link.connection.subscribe(askDouble.subject, { queue: 'catalog', callback });
  await link.connection.flush();
  const asked = rig.requester.request(askDouble, { n: 4 }, ask);
  await eventually(() => given === 1);
  // The thread itself stands still.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect(await asked).toEqual({ doubled: 8 });
  expect(given).toBe(1);
});

test('whose clock is five seconds behind is answered all the same', async () => {
  await serve(double);
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 6_000);
  const headers = writeContext({ ...ask, commandId: '', timeoutMs: 5_000, traceparent: undefined });
  now.mockRestore();
  const reply = await rig.caller.connection.request(askDouble.subject, '{"n":1}', { timeout: 20_000, headers });
  expect(reply.json()).toEqual({ doubled: 2 });
});

test('who asks before the service has subscribed again after nats-server’s return waits a moment for it', async () => {
  await rig.nats.kill();
  await rig.nats.start();
  expect(await rig.caller.whenConnected(5_000)).toBe(true);
  const [answered] = await Promise.all([rig.requester.request(askDouble, { n: 5 }, ask), serve(double)]);
  expect(answered).toEqual({ doubled: 10 });
  await rig.nats.restart();
});

test('a process that closes soon tells a command with an unknown outcome as such', async () => {
  let begun = 0;
  const add = onRequest(addOne, () => {
    begun += 1;
    return new Promise(() => undefined);
  });
  await serve(add);
  const asked = rig.requester.request(addOne, {}, command());
  // A command that is given to nobody within that time has an outcome.
  await eventually(() => begun === 1);
  rig.requester.finishWithin(300);
  await expect(asked).rejects.toMatchObject({ code: 'outcome_unknown' });
});

test('a command that comes when the time of a process that closes is over is given to nobody, and refused as such', async () => {
  let begun = 0;
  const add = onRequest(addOne, async () => {
    begun += 1;
    return { total: begun };
  });
  await serve(add);
  expect(await rig.requester.request(addOne, {}, command())).toEqual({ total: 1 });
  const overdue = { ...command(), deadlineMs: Date.now() };
  await expect(rig.requester.request(addOne, {}, overdue)).rejects.toMatchObject({ code: 'service_unavailable' });
  rig.requester.finishWithin(0);
  await expect(rig.requester.request(addOne, {}, command())).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(begun).toBe(1);
});

test('long answers on their way here are no silence: nobody is refused, and nothing is asked twice', async () => {
  let begun = 0;
  const long = new Serialized(JSON.stringify({ doubled: 2, rest: 'x'.repeat(1024 * 1024) }));
  const count = onRequest(askDouble, async ({ n }) => {
    begun += 1;
    return n === 1 ? long : { doubled: n * 2 };
  });
  const add = onRequest(addOne, async () => ({ total: 1 }));
  await serve(count, add);
  const login = rig.nats.login('gateway');
  const proxy = await startTcpProxy(login.url);
  rig.opened(proxy);
  const link = rig.opened(await connectNats({ ...login, url: proxy.url }));
  const far = createRequester(link);
  proxy.pace(6 * 1024 * 1024);
  const longs = Array.from({ length: 12 }, () => far.request(askDouble, { n: 1 }, ask));
  await eventually(() => expect(begun).toBe(12));
  const short = far.request(askDouble, { n: 2 }, ask);
  const commanded = far.request(addOne, {}, command());
  expect(await short).toEqual({ doubled: 4 });
  expect(await commanded).toEqual({ total: 1 });
  expect(await Promise.all(longs)).toHaveLength(12);
  expect(begun).toBe(13);
});
