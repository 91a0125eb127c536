import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '@app/embedded/ports';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

const mebibyte = 1024 * 1024;

let harness: Harness;
/** The gateway, in a process of its own whose memory can be measured. */
let child: SpawnedNode;
let url: string;
let seller: { key: string };
let neighbour: { key: string };
const sockets: Socket[] = [];

beforeAll(async () => {
  harness = await createHarness();
  const order = { id: 'ord_1', text: 'x'.repeat(20_000) };
  harness.books.orders = JSON.stringify({ data: Array.from({ length: 100 }, () => order) });
});
afterAll(() => harness.close());

beforeEach(async () => {
  const port = await freePort();
  const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const env = { ...harness.env, PORT: String(port), LOG_LEVEL: 'silent' };
  child = await spawnNode(program, env, { readyLine: /^gateway ready$/ });
  url = `http://127.0.0.1:${port}`;
  seller = await createSeller(url);
  neighbour = await createSeller(url);
  // The first answer loads and compiles what is not a matter of how many there are.
  await send(url, 'GET', '/api/v1/orders', seller);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await child.kill('SIGTERM');
});

/** The most memory the process has had (Linux), or has now. */
function memoryBytes(): number {
  const status = `/proc/${child.pid}/status`;
  if (!existsSync(status)) return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) * 1024;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
}

/** Sends these bytes and never reads. */
async function mute(text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  sockets.push(socket);
  socket.pause().on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(text);
  return socket;
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${seller.key}\r\n\r\n`;
const rpc = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_orders","arguments":{"limit":100}}}';
const callTool = () =>
  `POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${seller.key}\r\nContent-Type: application/json\r\n` +
  `Accept: application/json, text/event-stream\r\nContent-Length: ${rpc.length}\r\n\r\n${rpc}`;

/** Others are served all the while. */
async function neighbourIsServed(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    expect((await send(url, 'GET', '/api/v1/settings', neighbour)).status).toBe(200);
    expect((await send(url, 'GET', '/healthz')).status).toBe(200);
  }
}

// Where nothing was bounded, the 150 answers of 2 MB were 300 MB, and the 100 were 200.
test.each([
  [
    '150 connections that ask for 2 MB and do not read',
    () => Array.from({ length: 150 }, () => ask('/api/v1/orders')),
    20,
  ],
  ['one connection that asks a hundred times and does not read', () => [ask('/api/v1/orders').repeat(100)], 1],
  ['40 connections that call a tool for 2 MB', () => Array.from({ length: 40 }, callTool), 40],
])('%s cost less than 150 MB, and others are served', { timeout: 60_000 }, async (_, texts, asksAtLeast) => {
  const before = memoryBytes();
  const asked = harness.asked.length;
  await Promise.all(texts().map(mute));
  await neighbourIsServed(50);
  await eventually(() => harness.asked.length >= asked + asksAtLeast, { withinMs: 30_000 });
  await neighbourIsServed(50);
  expect(memoryBytes() - before).toBeLessThan(150 * mebibyte);
});

test('who reads gets every byte, also of answers asked for in one piece', { timeout: 60_000 }, async () => {
  const { length } = harness.books.orders;
  const socket = await mute(ask('/api/v1/orders').repeat(5));
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  await eventually(() => bytes > 5 * length, { withinMs: 30_000 });
  const many = await Promise.all(Array.from({ length: 8 }, () => send(url, 'GET', '/api/v1/orders', seller)));
  expect(many.map(({ status, text }) => [status, text.length])).toEqual(many.map(() => [200, length]));
});
