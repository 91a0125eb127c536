import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '@app/embedded/ports';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { requestEnded } from '../src/points/points.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

const mebibyte = 1024 * 1024;

let harness: Harness;
/** In this process. */
let inProcess: string;
let seller: { key: string };
let neighbour: { key: string };
const sockets: Socket[] = [];

beforeAll(async () => {
  harness = await createHarness();
  const order = { id: 'ord_1', text: 'x'.repeat(20_000) };
  harness.books.orders = JSON.stringify({ data: Array.from({ length: 100 }, () => order) });
  inProcess = (await harness.start()).url;
  seller = await createSeller(inProcess);
  neighbour = await createSeller(inProcess);
});
afterAll(() => harness.close());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A gateway in a process of its own, whose memory can be measured. */
async function startChild(): Promise<{ child: SpawnedNode; url: string }> {
  const port = await freePort();
  const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const env = { ...harness.env, PORT: String(port), LOG_LEVEL: 'silent' };
  const child = await spawnNode(program, env, { readyLine: /^gateway ready$/ });
  const url = `http://127.0.0.1:${port}`;
  // The first answer loads and compiles what is not a matter of how many there are.
  await send(url, 'GET', '/api/v1/orders', seller);
  return { child, url };
}

/** The most memory the process has had (Linux), or has now. */
function memoryBytes(child: SpawnedNode): number {
  const status = `/proc/${child.pid}/status`;
  if (!existsSync(status)) return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) * 1024;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
}

/** Sends these bytes and never reads. */
async function mute(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  sockets.push(socket);
  socket.pause().on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(text);
  return socket;
}

const request = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${seller.key}\r\n\r\n`;
const rpc = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_orders","arguments":{"limit":100}}}';
const callTool = () =>
  `POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${seller.key}\r\nContent-Type: application/json\r\n` +
  `Accept: application/json, text/event-stream\r\nX-Request-Id: tool-call\r\nContent-Length: ${rpc.length}\r\n\r\n${rpc}`;

/** Others are served all the while. */
async function neighbourIsServed(url: string): Promise<void> {
  for (let i = 0; i < volume(10, 50); i++) {
    expect((await send(url, 'GET', '/api/v1/settings', neighbour)).status).toBe(200);
    expect((await send(url, 'GET', '/healthz')).status).toBe(200);
  }
}

/** Their answers are short: each call ends, whether its client reads or not. */
async function toolCallsEnded(count: number): Promise<void> {
  await harness.untilRequested(8);
  await announced(requestEnded, ({ requestId }) => requestId === 'tool-call', count);
}

// Where nothing was bounded, the 150 answers of 2 MB were 300 MB, and the 100 were 200. What a tool's answer was parsed into is
// garbage of some 4 MB for each of the 40, collected when the process sees fit.
test.each([
  [
    '150 connections that request 2 MB and do not read',
    150,
    () => Array.from({ length: 150 }, () => request('/api/v1/orders')),
    // More begin as their clients' sockets take the answers in, or wait too long and are rejected.
    () => harness.untilRequested(8),
  ],
  [
    'one connection that sends a hundred requests and does not read',
    150,
    () => [request('/api/v1/orders').repeat(100)],
    () => harness.untilRequested(1),
  ],
  [
    '40 connections that call a tool for 2 MB',
    220,
    () => Array.from({ length: 40 }, callTool),
    () => toolCallsEnded(40),
  ],
])('%s cost less than %i MB, and others are served', async (_, megabytes, texts, untilServed) => {
  const { child, url } = await startChild();
  try {
    const before = memoryBytes(child);
    harness.forget();
    await Promise.all(texts().map((text) => mute(url, text)));
    await neighbourIsServed(url);
    await untilServed();
    await neighbourIsServed(url);
    expect(memoryBytes(child) - before).toBeLessThan(megabytes * mebibyte);
  } finally {
    await child.kill('SIGKILL');
  }
});

test('who reads gets every byte, also of responses that were requested in one piece', async () => {
  const url = inProcess;
  const { length } = harness.books.orders;
  const last = request('/api/v1/orders').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const socket = await mute(url, request('/api/v1/orders').repeat(4) + last);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  await once(socket, 'end');
  expect(bytes).toBeGreaterThan(5 * length);
  const many = await Promise.all(Array.from({ length: 8 }, () => send(url, 'GET', '/api/v1/orders', seller)));
  expect(many.map(({ status, text }) => [status, text.length])).toEqual(many.map(() => [200, length]));
});
