import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type ConnectionLimits, Connections } from '../src/http/connections.ts';
import { rejectConnection, rejectUnreadable } from '../src/http/reject-on-socket.ts';
import { send } from './http.ts';

guardLeaks();

const config = readConfig({ DATABASE_URL: 'postgres://nowhere/none', KEY_PEPPER: 'p'.repeat(32) });
/** A test of one of them changes it: the others are never met, however busy this machine is. */
const limits: ConnectionLimits = {
  total: 200,
  perAddress: 200,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  checkIntervalMs: 100,
  readTimeoutMs: 1_000,
  bytesPerSecond: 1024 * 1024,
  pipelined: 100,
};

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(handler: RequestListener, changed: Partial<ConnectionLimits> = {}) {
  const reports: { rejected: number; unread: number }[] = [];
  const connections = new Connections(
    { ...limits, ...changed },
    { reject: (socket) => rejectConnection(config, socket), report: (counts) => void reports.push(counts) },
  );
  const server = connections.createServer(handler);
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  server.on('clientError', (err, socket) => rejectUnreadable(config, err, socket as Socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const open = async (text = ''): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    sockets.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    if (text !== '') socket.write(text);
    return socket;
  };
  const many = (count: number, text = '') => Promise.all(Array.from({ length: count }, () => open(text)));
  const count = () => new Promise<number>((resolve) => server.getConnections((_, found) => resolve(found)));
  return { url: `http://127.0.0.1:${port}`, open, many, count, accepted: () => accepted, connections, reports };
}

const ok: RequestListener = (_, res) => void res.end('ok');
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test.each([
  ['say nothing', ''],
  ['stop within the head', 'GET / HTTP/1.1\r\nHos'],
  ['stop within the body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
])('clients that %s and never close are gone after the time-out', async (_, text) => {
  const short = { headersTimeoutMs: 1_000, requestTimeoutMs: 2_000 };
  const { many, count, accepted } = await listen((req, res) => req.resume().on('end', () => res.end()), short);
  await many(150, text);
  await eventually(() => accepted() === 150);
  await eventually(async () => (await count()) === 0, { withinMs: 20_000 });
});

test('silent clients make room for one that speaks', async () => {
  const { many, count, url } = await listen(ok, { total: 100, perAddress: 50 });
  await many(300);
  expect(await count()).toBeLessThanOrEqual(100);
  expect((await send(url, 'GET', '/')).status).toBe(200);
});

test('a request whose body trickles in makes room, one that is being answered does not', async () => {
  const held: (() => void)[] = [];
  const { many, open, url } = await listen((_, res) => void held.push(() => res.end('done')), {
    total: 20,
    perAddress: 20,
  });
  const working = await open(get);
  await many(19, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
  await eventually(async () => held.length === 20);
  const answered = send(url, 'GET', '/');
  await eventually(async () => held.length === 21);
  for (const end of held) end();
  expect((await answered).status).toBe(200);
  const [chunk] = (await new Promise((resolve) => working.once('data', (data) => resolve([data])))) as [Buffer];
  expect(chunk.toString()).toContain('200 OK');
});

test('where every place is in use the next is told so at once, and a line says how many were', async () => {
  const { many, open, reports, count } = await listen(() => undefined, { total: 10, perAddress: 10 });
  await many(10, get);
  await eventually(async () => (await count()) === 10);
  const rejected = await open(get);
  let text = '';
  for await (const chunk of rejected) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(text).toContain('"code":"service_unavailable"');
  expect(text).toContain('retry-after: 1');
  await eventually(async () => reports.some((counts) => counts.rejected === 1));
  expect(await count()).toBe(10);
});

test('requests in one piece are answered one after the other, in order', async () => {
  let atOnce = 0;
  let most = 0;
  const { open } = await listen((req, res) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    setImmediate(() => {
      atOnce -= 1;
      res.end(req.url);
    });
  });
  const paths = Array.from({ length: 50 }, (_, i) => `/${i}`);
  const socket = await open(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await eventually(async () => text.endsWith('/49'));
  expect([...text.matchAll(/^(\/\d+)/gm)].map((match) => match[1])).toEqual(paths);
  expect(most).toBe(1);
});

test('a connection on which too many requests wait is closed', async () => {
  const { open, count } = await listen(() => undefined);
  await open(get.repeat(150));
  await eventually(async () => (await count()) === 0);
});

const large = Buffer.alloc(16 * 1024 * 1024, 'x');

test('who takes nothing of an answer is closed, and a line says so', async () => {
  const { many, count, reports } = await listen((_, res) => void res.end(large));
  for (const socket of await many(5, get)) socket.pause();
  await eventually(async () => (await count()) === 0, { withinMs: 20_000 });
  await eventually(async () => reports.reduce((sum, { unread }) => sum + unread, 0) === 5);
});

test('who takes an answer by drops is closed when a slow line would have taken it', async () => {
  const { open, count } = await listen((_, res) => void res.end(large), { bytesPerSecond: 8 * 1024 * 1024 });
  const socket = await open(get);
  socket.on('readable', () => undefined);
  const takeOne = async () => {
    socket.read(1_000);
    return (await count()) === 0;
  };
  await eventually(takeOne, { withinMs: 15_000, everyMs: 50 });
});

test('who waits for an answer for longer than one who does not read is not taken for one', async () => {
  const held: (() => void)[] = [];
  const { open, count, accepted } = await listen((req, res) => {
    if (req.url === '/') res.end(large);
    else held.push(() => res.end('late'));
  });
  const waiting = await open(get.replace('/', '/later'));
  await eventually(() => held.length === 1);
  (await open(get)).pause();
  await eventually(() => accepted() === 2);
  await eventually(async () => (await count()) === 1, { withinMs: 20_000 });
  for (const end of held) end();
  const chunk: Buffer = await new Promise((resolve) => waiting.once('data', resolve));
  expect(chunk.toString()).toMatch(/late$/);
});

test('closing does not wait for clients that say nothing', async () => {
  const { many, connections, count } = await listen(ok);
  await many(20);
  await eventually(async () => (await count()) === 20);
  connections.closeIdle();
  await eventually(async () => (await count()) === 0);
});

/** What the server sends on this connection until it closes it. */
async function allOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return text;
}

test('closing ends a kept connection with the response under way, which says so, and begins none that waits behind it', async () => {
  const begun: (() => void)[] = [];
  const { open, connections, count } = await listen((_, res) => void begun.push(() => res.end('done')));
  const received = allOf(await open(get.repeat(2)));
  await eventually(() => begun.length === 1);
  connections.closeIdle();
  expect(await count()).toBe(1);
  begun[0]?.();
  await eventually(async () => (await count()) === 0);
  const text = await received;
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nconnection: close\r\n/i);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(begun).toHaveLength(1);
});

test('closing ends a kept connection whose response had begun without saying so, after what waits behind it', async () => {
  const begun: (() => void)[] = [];
  const { open, connections, count } = await listen((_, res) => {
    res.flushHeaders();
    begun.push(() => res.end('done'));
  });
  const alone = allOf(await open(get));
  const followed = allOf(await open(get.repeat(2)));
  await eventually(() => begun.length === 2);
  connections.closeIdle();
  for (const end of begun.slice(0, 2)) end();
  await eventually(() => begun.length === 3);
  begun[2]?.();
  await eventually(async () => (await count()) === 0);
  expect((await alone).match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive']);
  expect((await followed).match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive', 'connection: close']);
});

test('a connection that comes while the server closes is closed at once', async () => {
  const { open, connections, count } = await listen(ok);
  connections.closeIdle();
  expect(await allOf(await open())).toBe('');
  expect(await count()).toBe(0);
});
