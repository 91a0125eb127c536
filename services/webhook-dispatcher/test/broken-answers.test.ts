import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, expect, test } from 'vitest';
import { diagnose } from '../src/deliveries/diagnosis.rules.ts';
import { exchange } from '../src/deliveries/exchange.ts';
import { failureText } from '../src/deliveries/failure.rules.ts';
import { createGuardedAgent } from '../src/deliveries/guarded-agent.ts';
import { explainDiagnosis } from '../src/texts/diagnosis-texts.rules.ts';
import { makeCertificate } from './certificates.ts';

guardLeaks();
const agent = createGuardedAgent({ allowLoopback: true });
afterAll(() => agent.destroy());

/** A server that treats every connection in one way. */
const speaking = (speak: (socket: Socket) => void): Server =>
  createServer((socket) => {
    socket.on('error', () => undefined);
    // A socket without a reader does not detect that its peer has closed.
    socket.resume();
    speak(socket);
  });
/** A server that sends these bytes as soon as a request comes, and closes. */
const answering = (bytes: string | Buffer): Server =>
  speaking((socket) => void socket.once('data', () => socket.end(bytes)));
const httpsServer = (): Server => {
  const { cert, key } = makeCertificate({ name: 'localhost' });
  return createHttpsServer({ cert, key }, (_, response) => void response.end('ok'));
};

/** What the seller of a delivery to this server sees. */
async function diagnosed(server: Server, scheme = 'http') {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const headers = ['content-type', 'application/json'];
  const result = await exchange(agent, { origin: new URL(url).origin, path: '/hook', headers, body: '{}' }, 5_000);
  await new Promise((resolve) => server.close(resolve));
  const { statusCode } = result;
  const finding = diagnose({ ...result, url, body: result.excerpt?.toString() ?? '' });
  const shown = explainDiagnosis(finding?.code ?? null, { url, statusCode, detail: finding?.detail ?? null });
  return { ...shown, error: failureText(result.error) };
}

/** A record of TLS 1.0: a fatal alert, "protocol version". */
const tlsAlert = Buffer.from([0x15, 3, 1, 0, 2, 2, 70]);
const chunked = 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n';

test.each([
  ['a TLS alert', () => answering(tlsAlert), 'http', 'plain_to_tls_port'],
  ['the banner of SSH', () => speaking((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')), 'http', 'not_http'],
  ['the banner of a mail server', () => answering('220 mail.example ESMTP\r\n'), 'http', 'not_http'],
  ['a broken chunk', () => answering(`${chunked}zz\r\nabc\r\n`), 'http', 'not_http'],
  [
    'two lengths',
    () => answering('HTTP/1.1 500 No\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\n'),
    'http',
    'not_http',
  ],
  [
    'what SSH answers to TLS',
    () => speaking((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')),
    'https',
    'tls_to_plain_port',
  ],
])('%s is reported with its cause', async (_, server, scheme, code) => {
  expect(await diagnosed(server(), scheme)).toMatchObject({ code });
});

test('headers of 200 KB are reported as such', async () => {
  const shown = await diagnosed(answering(`HTTP/1.1 500 No\r\nx-long: ${'a'.repeat(200_000)}\r\n\r\n`));
  expect(shown).toMatchObject({ code: 'headers_too_large', error: 'the headers of the answer are too large' });
  expect(shown.explanation).toContain('16 KB');
});

test('a seller who sends http to a port of https, which only closes the connection, is advised to try https', async () => {
  const shown = await diagnosed(httpsServer());
  expect(shown.code).toBe('connection_reset');
  expect(shown.advice).toContain('https://');
});
