import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineRequest } from '@app/contracts/define';
import { findNatsServer, type RunningNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { freePort } from '@app/embedded/ports';
import type { Logger } from '@app/service-kit/logger';
import { type Arrivals, createArrivals } from '@app/testing/arrivals';
import { guardLeaks } from '@app/testing/leak-guard';
import { type Listener, listen } from '@app/testing/points';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connectNats, natsCheck } from '../src/connect.ts';
import { natsUsersConfig } from '../src/nats-config.ts';
import { connectionChanged } from '../src/points.ts';
import { createRequester } from '../src/requester.ts';
import { onRequest, serveRequests } from '../src/serve-requests.ts';

guardLeaks();

let directory: string;
let binary: string;
let port: number;
interface Line {
  readonly msg: string;
  readonly cause?: string;
  readonly awaySeconds?: number;
}
let arrivals: Arrivals<Line>;
let listener: Listener;
const take = (fields: object, msg: string): void => arrivals.push({ ...fields, msg });
const logger = { info: take, warn: take, error: take } as unknown as Logger;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-connection-'));
  binary = await findNatsServer({ env: process.env, log: () => undefined });
  port = await freePort();
  arrivals = createArrivals();
  listener = listen();
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function start(password: string): Promise<RunningNatsServer> {
  const configFile = join(directory, 'nats.conf');
  await writeFile(
    configFile,
    natsUsersConfig(() => JSON.stringify(password)),
  );
  return await startNatsServer({ binary, port, dataDir: join(directory, 'data'), configFile });
}

const linkOptions = () => ({
  url: `nats://127.0.0.1:${port}`,
  service: 'catalog' as const,
  user: 'catalog',
  password: 'right',
  logger,
});
const said = (): string[] => arrivals.list.map(({ msg }) => msg);
const logged = (text: string) => arrivals.wait(1, { matches: ({ msg }) => msg === text, what: text });
const changed = (up: boolean, times = 1) => listener.announced(connectionChanged, (change) => change.up === up, times);

test('NATS that cannot be reached at the start, is lost and comes back is one line each, with cause and duration', async () => {
  const connecting = connectNats(linkOptions());
  const [unreachable] = await arrivals.wait(1);
  expect(unreachable).toMatchObject({ msg: 'NATS cannot be reached; trying until it can' });
  expect(unreachable?.cause).toMatch(/refused/i);
  let server = await start('right');
  const link = await connecting;
  await server.kill();
  await changed(false);
  server = await start('right');
  await changed(true);
  expect(link.connected()).toBe(true);
  expect(said()).toEqual([
    'NATS cannot be reached; trying until it can',
    'NATS is available again',
    'NATS is lost; reconnecting',
    'NATS is available again',
  ]);
  expect(arrivals.list.at(-1)?.awaySeconds).toEqual(expect.any(Number));
  await link.close();
  await server.stop();
  expect(said()).toHaveLength(4);
});

test('a server that refuses the user for a while does not close the connection for good', async () => {
  let server = await start('right');
  const link = await connectNats(linkOptions());
  const refusals = createArrivals<string>();
  void (async () => {
    for await (const status of link.connection.status()) {
      if (status.type === 'error' && /authorization/i.test(String(status.error))) refusals.push(String(status.error));
    }
  })();
  await server.stop();
  server = await start('wrong');
  // Two in a row used to be the end.
  await refusals.wait(4);
  expect(() => link.checkOpen()).not.toThrow();
  await server.stop();
  server = await start('right');
  await changed(true);
  expect(link.connected()).toBe(true);
  await link.close();
  await server.stop();
});

test('a client that was answered too late, as after a pause of the whole process, connects again', async () => {
  const server = await start('right');
  const sockets: Socket[] = [];
  const front = createServer((client) => {
    sockets.push(client.on('error', () => undefined));
    const late = sockets.length === 1;
    if (late) client.end(`INFO {"version":"2.9.0","auth_required":true}\r\n-ERR 'Authentication Timeout'\r\n`);
    else client.pipe(connect(port, '127.0.0.1')).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const url = `nats://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const link = await connectNats({ ...linkOptions(), url });
  await link.check();
  expect(arrivals.list[0]).toMatchObject({
    msg: 'NATS cannot be reached; trying until it can',
    cause: 'Authentication Timeout',
  });
  await link.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => front.close(resolve));
  await server.stop();
});

test('a connection that is closed for good is not alive', async () => {
  const server = await start('right');
  const link = await connectNats(linkOptions());
  const { checkAlive } = natsCheck(link);
  expect(checkAlive).not.toThrow();
  await link.connection.close();
  expect(checkAlive).toThrow('closed and will not reopen');
  await logged('the connection to NATS closed and will not reopen');
  await server.stop();
});

test('a subject that is forbidden to the service is reported once', async () => {
  const server = await start('right');
  const link = await connectNats(linkOptions());
  for (let n = 0; n < 3; n++) link.connection.publish('svc.metrics.overview.get', '{}');
  await link.connection.flush();
  await arrivals.wait(1);
  await link.connection.flush();
  expect(said()).toEqual(['NATS denied this service a subject']);
  await link.close();
  await server.stop();
});

test('a service that NATS is lost to while it begins to answer goes on, and answers', async () => {
  let server = await start('right');
  const link = await connectNats(linkOptions());
  await server.kill();
  const asked = defineRequest('read', 'catalog', 'test.request', { input: z.object({}), output: z.object({}) });
  const answers = [onRequest(asked, async () => ({}))];
  const serving = serveRequests(link, { version: '0.1.0', description: 'test', handlers: answers, logger });
  server = await start('right');
  const served = await serving;
  const gateway = await connectNats({ ...linkOptions(), service: 'gateway', user: 'gateway' });
  const requester = createRequester(gateway);
  expect(await requester.request(asked, {}, { accountId: 'acc_1', requestId: 'req-1' })).toEqual({});
  await gateway.close();
  await served.close();
  await link.close();
  await server.stop();
});

test('a service whose subscriptions ended is not alive: it would never answer again', async () => {
  const server = await start('right');
  const link = await connectNats(linkOptions());
  const foreign = defineRequest('read', 'billing', 'test.request', { input: z.object({}), output: z.object({}) });
  const answers = [onRequest(foreign, async () => ({}))];
  const served = await serveRequests(link, { version: '0.1.0', description: 'test', handlers: answers, logger });
  const { checkAlive } = natsCheck(link);
  await logged('requests are no longer served; restart this process');
  expect(checkAlive).toThrow('no longer served');
  await served.close();
  await link.close();
  await server.stop();
});
