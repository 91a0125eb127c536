import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../src/deliveries/exchange.ts';
import { createGuardedAgent } from '../src/deliveries/guarded-agent.ts';

guardLeaks();
const guarded = createGuardedAgent({ allowLoopback: false });
const open = createGuardedAgent({ allowLoopback: true });
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/** Sends the head at once and never ends the body; closes the connection at `/cut`. */
let dripping: Server;
beforeAll(async () => {
  receiver = await startReceiver();
  dripping = createServer((request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('drip');
    if (request.url === '/cut') response.write('p', () => response.destroy());
  });
  await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await Promise.all([guarded.destroy(), open.destroy(), receiver.close()]);
  dripping.closeAllConnections();
  dripping.close();
});

const post = (agent: typeof guarded, origin: string, path = '/', timeoutMs = 10_000) =>
  exchange(
    agent,
    { origin: new URL(origin).origin, path, headers: ['content-type', 'application/json'], body: '{}' },
    timeoutMs,
  );

test.each([
  '127.0.0.1',
  'localhost',
  'a.localhost',
  '2130706433',
  '0x7f.1',
  '[::ffff:127.0.0.1]',
  '[::1]',
  '[64:ff9b::7f00:1]',
])('no connection is made to %s, though something listens there', async (host) => {
  const result = await post(guarded, `http://${host}:${new URL(receiver.url).port}`);
  expect(result).toMatchObject({ statusCode: null, error: { code: 'ADDRESS_REFUSED' } });
  expect(receiver.requests).toHaveLength(0);
});

/** An agent for which every name resolves to these addresses. */
const agentWith = (allowLoopback: boolean, v4: string[], v6: string[] = []) =>
  createGuardedAgent({ allowLoopback, nameServers: { resolve4: async () => v4, resolve6: async () => v6 } });

test.each([
  [['127.0.0.1'], []],
  [
    ['10.0.0.5', '169.254.169.254'],
    ['fd00::1', '::ffff:127.0.0.1'],
  ],
  [['168.63.129.16'], ['::127.0.0.1', '2002:7f00:1::', 'fec0::1']],
])('no connection is made to a name that resolves to %j and %j', async (v4, v6) => {
  const agent = agentWith(false, v4, v6);
  const result = await post(agent, `http://hooks.example.com:${new URL(receiver.url).port}`);
  await agent.destroy();
  expect(result).toMatchObject({ statusCode: null, error: { code: 'ADDRESS_REFUSED' } });
  expect(receiver.requests).toHaveLength(0);
});

test('the agent connects only to the allowed addresses of a name', async () => {
  const agent = agentWith(true, ['10.0.0.5', '127.0.0.1'], ['fd00::1']);
  const result = await post(agent, `http://hooks.example.com:${new URL(receiver.url).port}`);
  await agent.destroy();
  expect(result).toMatchObject({ statusCode: 200, error: null });
  expect(receiver.requests.at(-1)?.headers.host).toMatch(/^hooks\.example\.com:/);
});

test('the development setting reaches this machine by address and by name', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await post(open, `http://${host}:${new URL(receiver.url).port}`)).toMatchObject({
      statusCode: 200,
      error: null,
    });
  }
});

test('a response whose body never ends is aborted at the time limit, and its 2xx counts all the same', async () => {
  const origin = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
  const result = await post(open, origin, '/', 1_000);
  expect(result).toMatchObject({ statusCode: 200, error: null });
  expect(result.excerpt?.toString()).toBe('drip');
});

test('no connection is made to the ports of other protocols, whichever address they are at', async () => {
  for (const port of [25, 6379, 5432, 9200, 11211, 27017, 3306, 22, 6000])
    expect(await post(open, `http://127.0.0.1:${port}`)).toMatchObject({ error: { code: 'PORT_REFUSED' } });
});

/** Sends the parts of an answer one after the other, each once the other side has the one before. */
async function answered(...parts: readonly (string | Buffer)[]) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.setNoDelay(true);
    socket.once('data', async () => {
      for (const part of parts) await new Promise((sent) => socket.write(part, sent));
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const result = await post(open, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await new Promise((resolve) => server.close(resolve));
  return result;
}

test.each([
  ['100 Continue before it', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'], 202],
  ['100 Continue in a packet of its own', ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 204 No Content\r\n\r\n'], 204],
  [
    'an interim response in pieces',
    ['HTTP/1', '.1 103 Early Hints\r\nlink: </a>', '\r\n\r', '\nHTTP/1.1 2', '00 OK\r\n\r\n'],
    200,
  ],
  ['a Content-Length above the body', ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok'], 200],
  ['a chunk that is cut', ['HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'], 201],
  [
    'both lengths',
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    200,
  ],
  ['two lengths', ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nok'], 200],
  ['a head without an end', ['HTTP/1.1 200 OK\r\nX-A: b\r\n'], 200],
  ['headers of 40 KB', [`HTTP/1.1 200 OK\r\nX-A: ${'b'.repeat(40_000)}\r\n\r\n`], 200],
])('a 2xx status line acknowledges, with %s', async (_, parts, statusCode) => {
  expect(await answered(...parts)).toMatchObject({ statusCode, error: null });
});

test.each([
  ['an interim response alone', ['HTTP/1.1 100 Continue\r\n\r\n']],
  ['half a status line', ['HTTP/1.1 2']],
  ['no HTTP', ['200 OK\r\n\r\n     ']],
  ['another status that is cut', ['HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\n2']],
])('%s acknowledges nothing', async (_, parts) => {
  expect((await answered(...parts)).error).not.toBeNull();
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])(
  'an answer in %s is shown decoded, also where it is cut, and never more of it than is kept',
  async (coding, compress) => {
    const head = (length: number) =>
      `HTTP/1.1 422 No\r\ncontent-encoding: ${coding}\r\ncontent-length: ${length}\r\n\r\n`;
    const said = compress(Buffer.from('the field "email" is missing'));
    expect((await answered(head(said.length), said)).excerpt?.toString()).toBe('the field "email" is missing');
    const bomb = compress(Buffer.alloc(50_000_000, 'a'));
    const shown = (await answered(head(bomb.length), bomb)).excerpt;
    expect([shown?.length, shown?.subarray(0, 3).toString()]).toEqual([8 * 1024, 'aaa']);
    const broken = Buffer.from('no such coding');
    expect((await answered(head(broken.length), broken)).excerpt).toEqual(broken);
    // Zstandard is decoded in blocks of 128 KB.
    if (coding === 'zstd') return;
    const words = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `${n} `).join(''));
    const cut = compress(words).subarray(0, 4_000);
    const part = (await answered(head(cut.length + 1), cut)).excerpt?.toString() ?? '';
    expect([part.length > 1_000, words.toString().startsWith(part)]).toEqual([true, true]);
  },
);

test('connections are used again after interim responses and whole answers', async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on(
      'data',
      (bytes) =>
        bytes.toString().endsWith('{}') &&
        socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = createGuardedAgent({ allowLoopback: true });
  for (let n = 0; n < 5; n++)
    expect(await post(agent, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toMatchObject({
      ...{ statusCode: 200, error: null, excerpt: Buffer.from('ok') },
    });
  await agent.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect(connections).toBeLessThan(5);
});
