import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { exchange } from './raw-http.ts';
import { harness, url as local, startGateway } from './set-up.ts';

/** At `local`: on loopback, without PUBLIC_URL. */
startGateway();

const publicUrl = 'https://shop.example.com';
/** With PUBLIC_URL. */
let named: string;
let key: string;
let session: string;

beforeAll(async () => {
  named = (await harness.start({ PUBLIC_URL: publicUrl })).url;
  ({ key, session } = await createSeller(local));
});

type Headers = Record<string, string>;
const portOf = (url: string) => new URL(url).port;
/** Under https the cookie has a name that no other host of the domain can set. */
const cookieFor = (url: string) => (url === named ? session.replace('fnl_', '__Host-fnl_') : session);
const read = (url: string, headers: Headers) =>
  send(url, 'GET', '/api/v1/settings', { session: cookieFor(url), headers });
const write = (url: string, headers: Headers) =>
  send(url, 'PATCH', '/api/v1/settings', { session: cookieFor(url), headers, body: { testMode: false } });
const logIn = (url: string, headers: Headers) =>
  send(url, 'POST', '/api/auth/login', { headers, body: { email: 'a@example.com', password: 'a wrong password' } });
const refused = [403, 'cross_site_request'];

test.each([
  ['a foreign name that the browser calls its own', { host: 'evil.example', origin: 'http://evil.example' }],
  ['the same with Sec-Fetch-Site', { host: 'evil.example', 'sec-fetch-site': 'same-origin' }],
  ['a foreign name without Origin', { host: 'evil.example' }],
  ['a foreign name typed in', { host: 'evil.example', 'sec-fetch-site': 'none' }],
  ['a name that begins as ours', { host: 'localhost.evil.example' }],
  ['another address', { host: '10.1.2.3' }],
])('a session reached under %s neither reads nor writes', async (_, headers: Headers) => {
  for (const url of [local, named]) {
    for (const act of [read, write]) {
      const answer = await act(url, headers);
      expect([answer.status, answer.json.code]).toEqual(refused);
    }
  }
});

test('with PUBLIC_URL its host alone is ours, with its port said or not', async () => {
  for (const host of ['shop.example.com', 'SHOP.example.com', 'shop.example.com:443']) {
    expect((await read(named, { host })).status).toBe(200);
    expect((await write(named, { host, origin: publicUrl })).status).toBe(200);
  }
  for (const host of ['shop.example.com:444', '127.0.0.1', `localhost:${portOf(named)}`]) {
    expect((await read(named, { host })).json.code, host).toBe('cross_site_request');
  }
  const host = 'shop.example.com';
  for (const origin of ['http://shop.example.com', 'https://evil.example', 'null']) {
    expect((await write(named, { host, origin })).json.code, origin).toBe('cross_site_request');
  }
});

test('without PUBLIC_URL a loopback connection knows the loopback names', async () => {
  const port = portOf(local);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost:8080']) {
    expect((await read(local, { host })).status, host).toBe(200);
    expect((await write(local, { host, origin: `http://${host}` })).status, host).toBe(200);
  }
  const otherPort = await write(local, { host: `localhost:${port}`, origin: 'http://localhost:1' });
  expect(otherPort.json.code).toBe('cross_site_request');
});

test('without PUBLIC_URL a connection from the network knows the address it came to, and no name', async () => {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const address = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  // Without a network there is no such connection.
  if (address === undefined) return;
  const { url } = await harness.start({ HOST: '0.0.0.0' });
  const there = `http://${address}:${portOf(url)}`;
  expect((await read(there, { host: new URL(there).host })).status).toBe(200);
  expect((await write(there, { origin: there })).status).toBe(200);
  for (const host of ['localhost', '127.0.0.1', 'gateway:3000']) {
    expect((await read(there, { host })).json.code, host).toBe('cross_site_request');
  }
  const shown = await send(there, 'GET', '/nowhere', { headers: { host: 'evil.example' } });
  expect(shown.json.type).toBe(`${there}/developers/errors#not_found`);
});

test('a key works under whatever name the connection was found: no browser adds it by itself', async () => {
  for (const host of ['gateway:3000', 'gateway.shop.svc.cluster.local', 'evil.example', '10.1.2.3']) {
    for (const url of [local, named]) {
      expect((await send(url, 'GET', '/api/v1/settings', { key, headers: { host } })).status, host).toBe(200);
    }
  }
});

test('a page of another site neither logs in nor signs up; programs need no Origin', async () => {
  for (const headers of [
    { host: 'evil.example', origin: 'http://evil.example' },
    { host: 'evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    const answer = await logIn(local, headers as Headers);
    expect([answer.status, answer.json.code]).toEqual(refused);
  }
  for (const headers of [{}, { host: 'gateway:3000' }, { origin: local }]) {
    expect((await logIn(local, headers as Headers)).json.code).toBe('invalid_credentials');
  }
});

test('MCP answers no page of another name, whatever it brings', async () => {
  const list = (headers: Headers) =>
    send(local, 'POST', '/api/mcp', {
      key,
      headers: { accept: 'application/json, text/event-stream', ...headers },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  expect((await list({ host: 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
  expect((await list({ host: 'gateway:3000' })).status).toBe(200);
});

test('no link, type or document follows the Host header', async () => {
  for (const url of [local, named]) {
    const ours = url === named ? publicUrl : url;
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' };
    const problem = await send(url, 'GET', '/api/v1/orders', { headers });
    expect(problem.json.type).toBe(`${ours}/developers/errors#unauthorized`);
    const described = await send(url, 'GET', '/developers/openapi.json', { headers });
    expect(described.json.servers).toEqual([{ url: ours }]);
    for (const path of ['/developers', '/developers/errors', '/developers/openapi.json', '/nowhere', '/%']) {
      const answer = await send(url, 'GET', path, { headers });
      expect(answer.text + JSON.stringify(answer.headers), path).not.toMatch(/evil|gopher/);
    }
  }
});

test.each([
  ['two of them', 'Host: a\r\nHost: a'],
  ['two that differ', 'Host: localhost\r\nhost: evil.example'],
  ['a port beyond all', 'Host: a:99999'],
  ['a port that is none', 'Host: a:b'],
  ['nothing', 'Host:'],
  ['a port alone', 'Host: :3000'],
  ['a name with a path', 'Host: a/b'],
  ['a name with an account', 'Host: a@b'],
  ['white space', 'Host: a b'],
  ['half an IPv6 address', 'Host: [::1'],
  ['an address beyond all', 'Host: 300.1.1.1'],
  ['markup', 'Host: "><script>'],
  ['a name without end', `Host: ${'a'.repeat(300)}`],
])('a Host of %s is 400 everywhere', async (_, host) => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const rest = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: `;
  for (const line of ['GET /api/v1/settings', 'GET /developers', 'GET /nowhere', 'POST /api/mcp']) {
    const sent = line.startsWith('POST') ? body : '';
    const text = `${line} HTTP/1.1\r\n${host}\r\n${rest}${sent.length}\r\n\r\n${sent}`;
    const answer = await exchange(local, text);
    expect([answer.status, answer.json?.code], line).toEqual([400, 'malformed_request']);
  }
});

test('a probe of HTTP/1.0 needs no Host', async () => {
  const { port, hostname } = new URL(local);
  const socket = connect(Number(port), hostname, () => socket.write('GET /healthz HTTP/1.0\r\n\r\n'));
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1.1 200 /);
});
