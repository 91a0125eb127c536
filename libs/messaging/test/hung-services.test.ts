import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { newIdSuffix } from '@app/contracts/ids';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectCaller } from '@app/testing/nats';
import { announced } from '@app/testing/points';
import type { Msg } from '@nats-io/transport-node';
import { expect, test, vi } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { newInbox } from '../src/names.ts';
import { requestBegun } from '../src/points.ts';
import { pingSubject, writeContext } from '../src/request-headers.ts';
import { createRequester, type Requester } from '../src/requester.ts';
import { onRequest, type RequestHandler, serveRequests } from '../src/serve-requests.ts';
import { addOne, caller, eachTestRequests, getDouble, logger } from './harness.ts';

guardLeaks();

const rig = eachTestRequests();
/** A third of what deployments have. */
const hangsAfterMs = 1_000;
const signEveryMs = 150;
/** A caller to whom a service hangs after a third of the usual time. */
const hasty = (): Requester => createRequester(rig.caller, hangsAfterMs);

async function catalogLink(): Promise<NatsClient> {
  const link = rig.opened(await connectNats(rig.nats.login('catalog')));
  return link;
}

async function serve(...handlers: RequestHandler[]): Promise<void> {
  const link = await catalogLink();
  const options = { version: '0.1.0', description: 'test', handlers, logger, signEveryMs };
  rig.opened(await serveRequests(link, options));
}

/** A replica that hangs as a stopped process does: subscribed, and silent. Returns how many requests it was given. */
async function hang(): Promise<() => number> {
  const link = await catalogLink();
  let given = 0;
  const callback = (): void => {
    given += 1;
  };
  for (const { subject } of [getDouble, addOne]) link.connection.subscribe(subject, { queue: 'catalog', callback });
  link.connection.subscribe(pingSubject('catalog'), { callback: () => undefined });
  await link.connection.flush();
  return () => given;
}

const double = onRequest(getDouble, async ({ n }) => ({ doubled: n * 2 }));
const command = () => ({ ...caller, commandId: newIdSuffix(Date.now()) });

test('a replica that hangs refuses no read: a later attempt reaches another replica', async () => {
  const given = await hang();
  await serve(double);
  const requester = hasty();
  const requested = Array.from({ length: 16 }, (_, n) => requester.request(getDouble, { n }, caller));
  expect(await Promise.all(requested)).toEqual(requested.map((_, n) => ({ doubled: n * 2 })));
  expect(given()).toBeGreaterThan(0);
});

test('a command given to a replica that hangs is repeated and answered by another', async () => {
  const given = await hang();
  await serve(
    double,
    onRequest(addOne, async () => ({ total: 1 })),
  );
  const requester = hasty();
  const requested = Array.from({ length: 16 }, () => requester.request(addOne, {}, command()));
  expect(await Promise.all(requested)).toEqual(requested.map(() => ({ total: 1 })));
  expect(given()).toBeGreaterThan(0);
});

test('a service that hangs refuses reads and commands, was given no command, and is reached once it is back', async () => {
  const given = await hang();
  const refusal = { code: 'service_unavailable' };
  // The one test that waits as long as callers of a deployment do: with the limits of production.
  const { requester } = rig;
  const refusedCommand = expect(requester.request(addOne, {}, command())).rejects.toMatchObject(refusal);
  await expect(hasty().request(getDouble, { n: 1 }, caller)).rejects.toMatchObject(refusal);
  await refusedCommand;
  expect(given()).toBe(1);
  await serve(double);
  expect(await requester.reaches('catalog', 10_000)).toBe(true);
  expect(await hasty().request(getDouble, { n: 2 }, caller)).toEqual({ doubled: 4 });
});

test('a request that is worked on for longer than a silence may last is waited for and not repeated', async () => {
  let begun = 0;
  const signed = Promise.withResolvers<void>();
  const slow = onRequest(getDouble, async ({ n }) => {
    begun += 1;
    await signed.promise;
    return { doubled: n * 2 };
  });
  await serve(slow);
  // Signs go to the mailbox of the call; an observer reads along.
  const observer = await connectCaller(rig.nats);
  rig.opened(observer);
  let signs = 0;
  observer.subscribe('_INBOX_gateway.>', {
    callback: () => {
      signs += 1;
      if (signs * signEveryMs > hangsAfterMs) signed.resolve();
    },
  });
  await observer.flush();
  expect(await hasty().request(getDouble, { n: 3 }, caller)).toEqual({ doubled: 6 });
  expect(begun).toBe(1);
});

test('a reply that arrived while this process was paused is read before silence counts: nothing is requested twice', async () => {
  const turns = new Int32Array(new SharedArrayBuffer(8));
  const login = rig.nats.login('catalog');
  const workerData = { login, subject: getDouble.subject, reply: '{"doubled":8}', turns };
  const responder = new Worker(new URL('late-responder.ts', import.meta.url), { workerData });
  rig.opened({ close: () => responder.terminate() });
  await once(responder, 'message');
  const publish = vi.spyOn(rig.caller.connection, 'publish');
  const requested = hasty().request(getDouble, { n: 4 }, caller);
  await once(responder, 'message');
  Atomics.store(turns, 0, 1);
  Atomics.notify(turns, 0);
  // This thread is paused until the other one has replied, and then for longer than silence may last.
  Atomics.wait(turns, 1, 0, 30_000);
  Atomics.wait(turns, 1, 1, hangsAfterMs);
  expect(await requested).toEqual({ doubled: 8 });
  expect(publish.mock.calls.map(([subject]) => subject)).toEqual([getDouble.subject]);
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
  await expect(requested).rejects.toMatchObject({ code: 'outcome_unknown' });
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
  await expect(rig.requester.request(addOne, {}, overdue)).rejects.toMatchObject({ code: 'service_unavailable' });
  rig.requester.finishWithin(0);
  await expect(rig.requester.request(addOne, {}, command())).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(begun).toBe(1);
});
