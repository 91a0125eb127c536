import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { guardLeaks } from '@app/testing/leak-guard';
import { answerAfter } from '@app/testing/pace';
import { nextTurn } from '@app/testing/time-passes';
import { afterAll, afterEach, expect, test } from 'vitest';
import { diagnose } from '../src/deliveries/diagnosis.rules.ts';
import { exchange } from '../src/deliveries/exchange.ts';
import { createGuardedAgent, type MeasuredHandler, type NameServers } from '../src/deliveries/guarded-agent.ts';
import { type Certified, makeCertificate } from './certificates.ts';

guardLeaks();

const name = 'hooks.maya.example';
const usual = getCACertificates('default');
const root = makeCertificate({ name: 'Test root', authority: true });
const intermediate = makeCertificate({ name: 'Test intermediate', authority: true, issuer: root });
setDefaultCACertificates([root.cert]);
afterAll(() => setDefaultCACertificates(usual));

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  closings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An agent for which every name leads to this machine. */
function anAgent(nameServers: Partial<NameServers> = {}) {
  const agent = createGuardedAgent({
    allowLoopback: true,
    nameServers: { resolve4: async () => ['127.0.0.1'], resolve6: async () => [], ...nameServers },
  });
  closings.push(() => agent.destroy());
  return agent;
}

const post = (agent: ReturnType<typeof anAgent>, origin: string, timeoutMs = 10_000) =>
  exchange(agent, { origin, path: '/', headers: ['content-type', 'application/json'], body: '{}' }, timeoutMs);

const httpsServer = ({ cert, key }: Certified, chain = '') =>
  createHttpsServer({ cert: cert + chain, key }, (_, response) => response.end('ok'));

test('each step is measured for the request that opened the connection, and only for that one', async () => {
  const port = await listen(
    createHttpsServer(makeCertificate({ name, issuer: root }), (_, response) => {
      void answerAfter(60, 'ok').then((text) => response.end(text));
    }),
  );
  const agent = anAgent({ resolve4: () => answerAfter(80, ['127.0.0.1']) });
  const first = await post(agent, `https://${name}:${port}`);
  expect(first).toMatchObject({ statusCode: 200, error: null, stage: 'body' });
  // Timers may fire a millisecond early.
  expect(first.dnsMs).toBeGreaterThanOrEqual(78);
  expect(first.connectMs).toBeGreaterThanOrEqual(0);
  expect(first.tlsMs).toBeGreaterThanOrEqual(0);
  expect(first.firstByteMs).toBeGreaterThanOrEqual(58);
  const sum = [first.dnsMs, first.connectMs, first.tlsMs, first.firstByteMs].reduce(
    (a = 0, b) => (a ?? 0) + (b ?? 0),
    0,
  );
  // Each figure is rounded by half a millisecond at most.
  expect(first.durationMs).toBeGreaterThanOrEqual((sum ?? 0) - 3);
  // The connection is free again a moment after the answer.
  await nextTurn();
  const second = await post(agent, `https://${name}:${port}`);
  expect(second).toMatchObject({ statusCode: 200, dnsMs: null, connectMs: null, tlsMs: null });
  expect(second.firstByteMs).toBeGreaterThanOrEqual(58);
});

test.each([
  ['connecting', 'http', () => createHttpServer((_, response) => response.end('ok'))],
  ['TLS', 'https', () => httpsServer(makeCertificate({ name, issuer: root }))],
] as const)('what the request itself takes is no part of %s', async (_, scheme, server) => {
  const port = await listen(server());
  const agent = anAgent();
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const handler: MeasuredHandler = {
    opening: null,
    onStatusLine: () => undefined,
    onRequestStart: () => blockFor(200),
    onResponseStart: () => {},
    onResponseData: () => {},
    onResponseEnd: () => resolve(),
    onResponseError: (_, err) => reject(err),
  };
  const startedMs = performance.now();
  agent.dispatch({ origin: `${scheme}://${name}:${port}`, method: 'POST', path: '/', body: '{}' }, handler);
  await ended;
  const { dnsMs, connectMs, tlsMs } = handler.opening ?? {};
  const opened = (dnsMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0);
  expect(opened).toBeLessThanOrEqual(performance.now() - startedMs - 200 + 2);
});

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('requests that open connections side by side keep their figures apart', async () => {
  const port = await listen(createHttpServer((_, response) => response.end('ok')));
  let questions = 0;
  const agent = anAgent({ resolve4: () => answerAfter(50 * ++questions, ['127.0.0.1']) });
  const results = await Promise.all(Array.from({ length: 4 }, () => post(agent, `http://${name}:${port}`)));
  results.forEach((result, index) => {
    expect(result).toMatchObject({ statusCode: 200, tlsMs: null });
    expect(result.dnsMs).toBeGreaterThanOrEqual(50 * (index + 1) - 2);
  });
  expect(questions).toBe(4);
});

test('an address needs no look-up, and http has no TLS', async () => {
  const port = await listen(createHttpServer((_, response) => response.end('ok')));
  const result = await post(anAgent(), `http://127.0.0.1:${port}`);
  expect(result).toMatchObject({ statusCode: 200, dnsMs: null, connectMs: expect.any(Number), tlsMs: null });
});

test('a time-out says what it waited for', async () => {
  const neverEnding = createHttpsServer(makeCertificate({ name, issuer: root }), (_, response) => {
    response.writeHead(500);
    response.write('a');
  });
  const cases: [string, Server, Partial<NameServers>?][] = [
    ['timeout_lookup', createTcpServer(), { resolve4: () => new Promise(() => {}) }],
    ['timeout_tls', createTcpServer()],
    ['timeout_answer', createHttpsServer(makeCertificate({ name, issuer: root }))],
    ['timeout_body', neverEnding],
  ];
  // Side by side, because each waits for the whole limit; two of them get as far as the answer before.
  const found = cases.map(async ([, server, nameServers]) =>
    diagnosisOf(`https://${name}:${await listen(server)}`, nameServers, 5_000),
  );
  expect(await Promise.all(found)).toEqual(cases.map(([code]) => code));
});

async function diagnosisOf(url: string, nameServers: Partial<NameServers> = {}, timeoutMs = 10_000) {
  const result = await post(anAgent(nameServers), url, timeoutMs);
  return diagnose({ ...result, url, body: result.excerpt?.toString() ?? '' })?.code ?? null;
}

test.each([
  [
    'an expired certificate',
    'certificate_expired',
    () => httpsServer(makeCertificate({ name, issuer: root, validYears: -1 })),
  ],
  [
    'a certificate for another name',
    'certificate_name',
    () => httpsServer(makeCertificate({ name: 'other.example', issuer: root })),
  ],
  ['a certificate signed by itself', 'certificate_self_signed', () => httpsServer(makeCertificate({ name }))],
  [
    'a missing intermediate certificate',
    'certificate_chain',
    () => httpsServer(makeCertificate({ name, issuer: intermediate })),
  ],
  ['a server without TLS', 'tls_to_plain_port', () => createHttpServer((_, response) => response.end())],
  [
    'a server that resets',
    'tls_failed',
    () => createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
  ],
])('https to %s is reported as %s', async (_, code, server) => {
  const port = await listen(server());
  expect(await diagnosisOf(`https://${name}:${port}`)).toBe(code);
});

test('the whole chain is accepted', async () => {
  const port = await listen(httpsServer(makeCertificate({ name, issuer: intermediate }), intermediate.cert));
  expect(await diagnosisOf(`https://${name}:${port}`)).toBeNull();
});

test('http to a TLS port, to a port where nothing listens, and to a server that closes are distinguished', async () => {
  const secured = await listen(httpsServer(makeCertificate({ name, issuer: root })));
  expect(await diagnosisOf(`http://${name}:${secured}`)).toBe('connection_reset');
  const closing = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
  expect(await diagnosisOf(`http://${name}:${closing}`)).toBe('connection_reset');
  const free = createTcpServer();
  const port = await new Promise<number>((resolve) =>
    free.listen(0, '127.0.0.1', () => resolve((free.address() as AddressInfo).port)),
  );
  await new Promise((resolve) => free.close(resolve));
  expect(await diagnosisOf(`http://${name}:${port}`)).toBe('connection_refused');
});

test('a name that does not exist and a name server that fails are distinguished', async () => {
  const failing = (code: string) => ({ resolve4: () => Promise.reject(Object.assign(new Error(code), { code })) });
  expect(await diagnosisOf(`https://${name}`, failing('ENOTFOUND'))).toBe('dns');
  expect(await diagnosisOf(`https://${name}`, failing('ECONNREFUSED'))).toBe('dns_failed');
  expect(await diagnosisOf(`https://${name}`, { resolve4: async () => ['10.0.0.1'] })).toBe('address_refused');
});
