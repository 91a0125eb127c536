import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Arrivals, createArrivals } from '@app/testing/arrivals';
import { guardLeaks } from '@app/testing/leak-guard';
import { timePasses } from '@app/testing/time-passes';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type ConnectionLimits, Connections } from '../src/edge/connections.ts';
import { rejectConnection, rejectUnreadable } from '../src/edge/reject-on-socket.ts';
import { send } from './http.ts';

guardLeaks();

const config = readConfig({ DATABASE_URL: 'postgres://nowhere/none', KEY_PEPPER: 'p'.repeat(32) });
/** Too large to be met, but for those of clients that do not read: a test of another one makes it small. */
const limits: ConnectionLimits = {
  total: 200,
  perAddress: 200,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  checkIntervalMs: 20,
  readTimeoutMs: 200,
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
  const reports = createArrivals<{ rejected: number; unread: number }>();
  const accepted = createArrivals<null>();
  const ended = createArrivals<null>();
  const connections = new Connections(
    { ...limits, ...changed },
    { reject: (socket) => rejectConnection(config, socket), report: reports.push },
  );
  const server = connections.createServer(handler);
  server.on('connection', (socket) => {
    accepted.push(null);
    // After the server's own listeners: by then it counts the connection no more.
    socket.once('close', () => setImmediate(() => ended.push(null)));
  });
  server.on('clientError', (err, socket) => rejectUnreadable(config, err, socket as Socket, 100));
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
  return {
    ...{ url: `http://127.0.0.1:${port}`, open, many, count, connections, reports },
    untilAccepted: (connections: number) => accepted.wait(connections, { what: 'connections' }),
    untilClosed: (connections: number) => ended.wait(connections, { what: 'closed connections' }),
  };
}

const ok: RequestListener = (_, res) => void res.end('ok');
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test.each([
  ['say nothing', ''],
  ['stop within the head', 'GET / HTTP/1.1\r\nHos'],
  ['stop within the body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
])('clients that %s and never close are gone after the time-out', async (_, text) => {
  const short = { headersTimeoutMs: 200, requestTimeoutMs: 400 };
  const { many, count, untilClosed } = await listen((req, res) => req.resume().on('end', () => res.end()), short);
  await many(150, text);
  await untilClosed(150);
  expect(await count()).toBe(0);
});

test('silent clients make room for one that speaks', async () => {
  const { many, count, url } = await listen(ok, { total: 100, perAddress: 50 });
  await many(300);
  expect(await count()).toBeLessThanOrEqual(100);
  expect((await send(url, 'GET', '/')).status).toBe(200);
});

/** Holds each response until the test ends it. */
function holding(): { begun: Arrivals<() => void>; handler: RequestListener } {
  const begun = createArrivals<() => void>();
  return { begun, handler: (_, res) => begun.push(() => res.end('done')) };
}

test('a request whose body trickles in makes room, one that is being answered does not', async () => {
  const { begun, handler } = holding();
  const { many, open, url } = await listen(handler, { total: 20, perAddress: 20 });
  const working = await open(get);
  await many(19, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
  await begun.wait(20);
  const answered = send(url, 'GET', '/');
  await begun.wait(21);
  for (const end of begun.list) end();
  expect((await answered).status).toBe(200);
  const [chunk] = (await new Promise((resolve) => working.once('data', (data) => resolve([data])))) as [Buffer];
  expect(chunk.toString()).toContain('200 OK');
});

test('where every connection is in use the next is refused at once, and a line says how many were', async () => {
  const { begun, handler } = holding();
  const { many, open, reports, count } = await listen(handler, { total: 10, perAddress: 10 });
  await many(10, get);
  await begun.wait(10);
  const text = await allOf(await open(get));
  expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(text).toContain('"code":"service_unavailable"');
  expect(text).toContain('retry-after: 1');
  expect(await reports.wait(1)).toEqual([{ rejected: 1, unread: 0 }]);
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
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n`);
  const socket = await open(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
  const text = await allOf(socket);
  expect([...text.matchAll(/^(\/\d+)/gm)].map((match) => match[1])).toEqual(paths);
  expect(most).toBe(1);
});

test('a connection on which too many requests wait is closed', async () => {
  const { open, count, untilClosed } = await listen(() => undefined);
  await open(get.repeat(150));
  await untilClosed(1);
  expect(await count()).toBe(0);
});

const large = Buffer.alloc(16 * 1024 * 1024, 'x');

test('who takes nothing of an answer is closed, and a line says so', async () => {
  const { many, count, reports, untilClosed } = await listen((_, res) => void res.end(large));
  for (const socket of await many(5, get)) socket.pause();
  await untilClosed(5);
  expect(await count()).toBe(0);
  const unread = () => reports.list.reduce((sum, counts) => sum + counts.unread, 0);
  await reports.wait(1, { matches: () => unread() >= 5 });
  expect(unread()).toBe(5);
});

/** Takes a thousand bytes every 10 ms. */
async function sip(socket: Socket): Promise<void> {
  socket.on('readable', () => undefined);
  for (; !socket.destroyed; await timePasses(10)) socket.read(1_000);
}

test('who takes an answer by drops is closed when a slow line would have taken it', async () => {
  const { open, count, untilClosed } = await listen((_, res) => void res.end(large), {
    bytesPerSecond: 64 * 1024 * 1024,
  });
  const socket = await open(get);
  const taking = sip(socket);
  await untilClosed(1);
  expect(await count()).toBe(0);
  socket.destroy();
  await taking;
});

test('a client that reads a file all the while it is made is not closed, however long that takes', async () => {
  const parts = 320;
  const part = 'x'.repeat(100_000);
  const { open, reports } = await listen(
    async (_, res) => {
      for (let sent = 0; sent < parts; sent += 1) {
        // There is always a part after the one that is read.
        if (!res.write(part)) await new Promise((resolve) => res.once('drain', resolve));
      }
      res.end('the end');
    },
    { readTimeoutMs: 2_000 },
  );
  const socket = await open(get);
  let read = '';
  socket.on('readable', () => undefined);
  // 40 KB each 3 ms, for longer than the deadline of 2 s and the 300 ms that the rate adds.
  for (; !socket.destroyed && !socket.readableEnded && !read.includes('the end'); await timePasses(3)) {
    for (let chunk = socket.read(40_000) ?? socket.read(); chunk !== null; chunk = null)
      read = read.slice(-100) + chunk;
  }
  expect(read).toContain('the end');
  expect(reports.list).toEqual([]);
});

test('who waits for an answer for longer than one who does not read is not taken for one', async () => {
  const { begun, handler } = holding();
  const { open, count, untilClosed } = await listen((req, res) => {
    if (req.url === '/') res.end(large);
    else handler(req, res);
  });
  const waiting = await open(get.replace('/', '/later'));
  await begun.wait(1);
  (await open(get)).pause();
  await untilClosed(1);
  expect(await count()).toBe(1);
  for (const end of begun.list) end();
  const chunk: Buffer = await new Promise((resolve) => waiting.once('data', resolve));
  expect(chunk.toString()).toMatch(/done$/);
});

test('closing does not wait for clients that say nothing', async () => {
  const { many, connections, count, untilAccepted, untilClosed } = await listen(ok);
  await many(20);
  await untilAccepted(20);
  connections.closeIdle();
  await untilClosed(20);
  expect(await count()).toBe(0);
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

test('closing ends a kept connection with the response under way, which says so, and begins none that waits after it', async () => {
  const { begun, handler } = holding();
  const { open, connections, count, untilClosed } = await listen(handler);
  const received = allOf(await open(get.repeat(2)));
  await begun.wait(1);
  connections.closeIdle();
  expect(await count()).toBe(1);
  begun.list[0]?.();
  await untilClosed(1);
  expect(await count()).toBe(0);
  const text = await received;
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nconnection: close\r\n/i);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(begun.list).toHaveLength(1);
});

test('closing ends a kept connection whose response had begun without saying so, after what waits for it', async () => {
  const { begun, handler } = holding();
  const { open, connections, count, untilClosed } = await listen((req, res) => {
    res.flushHeaders();
    handler(req, res);
  });
  const alone = allOf(await open(get));
  const followed = allOf(await open(get.repeat(2)));
  await begun.wait(2);
  connections.closeIdle();
  for (const end of begun.list.slice(0, 2)) end();
  await begun.wait(3);
  begun.list[2]?.();
  await untilClosed(2);
  expect(await count()).toBe(0);
  expect((await alone).match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive']);
  expect((await followed).match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive', 'connection: close']);
});

test('a connection that comes while the server closes is closed at once', async () => {
  const { open, connections, count } = await listen(ok);
  connections.closeIdle();
  expect(await allOf(await open())).toBe('');
  expect(await count()).toBe(0);
});
