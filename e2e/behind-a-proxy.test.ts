import { readFileSync } from 'node:fs';
import { request as sendToGateway } from 'node:http';
import { createServer as createTlsServer, type Server, request as sendSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@app/embedded/ports';
import { afterEach, expect, test } from 'vitest';
import { folderForEachTest, startInFolder } from './support/standalone-folder.ts';

/** Guarantee: behind a TLS proxy of the same machine, each buyer is a client of their own, and one of them stops no other. */
folderForEachTest();

const certificates = join(import.meta.dirname, 'support/tls');
const publicHost = 'shop.example';
let proxy: Server | undefined;

afterEach(() => {
  proxy?.closeAllConnections();
  proxy?.close();
});

/** A proxy as sellers have one: it ends TLS, and says whose request it is. */
async function startProxy(gatewayPort: number): Promise<number> {
  const keys = {
    key: readFileSync(join(certificates, 'server.key')),
    cert: readFileSync(join(certificates, 'server.pem')),
  };
  const started = createTlsServer(keys, (incoming, answer) => {
    const headers = {
      ...incoming.headers,
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-proto': 'https',
    };
    const { method, url: path } = incoming;
    const passed = sendToGateway({ host: '127.0.0.1', port: gatewayPort, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(passed);
  });
  proxy = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
}

interface Sent {
  readonly from: string;
  readonly path: string;
  readonly body: unknown;
  readonly secret?: string;
}

function post(
  port: number,
  { from, path, body, secret }: Sent,
): Promise<{ status: number; json: Record<string, string> }> {
  const headers = {
    host: publicHost,
    'content-type': 'application/json',
    ...(secret !== undefined && { 'x-checkout-secret': secret }),
  };
  const to = { host: '127.0.0.1', port, localAddress: from, ca: readFileSync(join(certificates, 'ca.pem')) };
  return new Promise((resolve, reject) => {
    const sent = sendSecurely(
      { ...to, servername: 'localhost', method: 'POST', path, headers, agent: false },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(await text(response)) });
      },
    );
    sent.once('error', reject).end(JSON.stringify(body));
  });
}

test('forty buyers with addresses of their own pay, after a tester of stolen cards is stopped', async () => {
  const port = await freePort();
  const standalone = startInFolder(port, { PUBLIC_URL: `https://${publicHost}` });
  await standalone.until(/^ready /);
  const proxied = await startProxy(port);
  const buy = async (from: string, buyer: string, card: string) => {
    const wish = { handle: 'mara-lindqvist-studio', slug: 'botanical-sketchbook', email: `${buyer}@example.com` };
    const opened = await post(proxied, { from, path: '/api/checkout', body: wish });
    if (opened.status !== 200) return opened.status;
    const { id, secret } = opened.json as { id: string; secret: string };
    const path = `/api/checkout/${id}/pay`;
    return (await post(proxied, { from, path, secret, body: { paymentMethod: card } })).status;
  };
  const tester: number[] = [];
  for (let tried = 0; tried < 14; tried += 1) tester.push(await buy('127.0.2.1', `tester${tried}`, 'sim_lost_card'));
  expect(tester.at(-1)).toBe(429);
  const paid = await Promise.all(Array.from({ length: 40 }, (_, n) => buy(`127.0.1.${n + 1}`, `buyer${n}`, 'sim_ok')));
  expect(paid).toEqual(Array.from({ length: 40 }, () => 200));
});
