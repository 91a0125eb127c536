import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findNatsServer, NatsServerMissingError, startNatsServer } from '../src/nats-server.ts';
import { freePort, portInUse } from '../src/ports.ts';

let directory: string;
let binary: string;
const log = () => {};
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-nats-'));
  binary = await findNatsServer({ env: process.env, install: true, log });
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

test('the server is back on its port and directory after a kill -9, with JetStream and the payload limit', async () => {
  const first = await startNatsServer({ binary, dataDir: directory, maxPayloadBytes: 2_000_000 });
  expect(await greeting(first.port)).toMatchObject({ jetstream: true, max_payload: 2_000_000 });
  await first.kill();
  expect(await portInUse(first.port)).toBe(false);
  const second = await startNatsServer({ binary, dataDir: directory, port: first.port });
  expect(await greeting(second.port)).toMatchObject({ jetstream: true, max_payload: 8_388_608 });
  await second.stop();
  await second.stop();
  expect(await portInUse(first.port)).toBe(false);
});

test('a port in use is refused instead of taking a foreign server for ours', async () => {
  const first = await startNatsServer({ binary, dataDir: join(directory, 'a') });
  await expect(startNatsServer({ binary, dataDir: join(directory, 'b'), port: first.port })).rejects.toThrow('in use');
  await first.stop();
});

test('a configuration file counts, but never its address', async () => {
  const configFile = join(directory, 'my.conf');
  await writeFile(
    configFile,
    'host: 0.0.0.0\nport: 1\nauthorization { user: u, password: p }\njetstream { max_mem: 64M }\n',
  );
  const server = await startNatsServer({ binary, dataDir: join(directory, 'store'), configFile });
  expect(await greeting(server.port)).toMatchObject({ auth_required: true, jetstream: true, host: '127.0.0.1' });
  await server.stop();
});

test('what nats-server says is in the error when it does not start', async () => {
  const configFile = join(directory, 'bad.conf');
  await writeFile(configFile, 'max_payload: "many"\n');
  const port = await freePort();
  await expect(startNatsServer({ binary, dataDir: directory, configFile, port })).rejects.toThrow(
    'interface conversion',
  );
});

test('NATS_SERVER_BIN wins over PATH, and must exist', async () => {
  expect(await findNatsServer({ env: { NATS_SERVER_BIN: process.execPath }, log })).toBe(process.execPath);
  await expect(findNatsServer({ env: { NATS_SERVER_BIN: '/none' }, log })).rejects.toThrow('/none');
});

test('the error for a missing server names a command', () => {
  expect(new NatsServerMissingError().message).toMatch(/install|download/);
});

async function greeting(port: number): Promise<Record<string, unknown>> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(JSON.parse(data.toString('utf8').split('\r\n')[0]?.slice('INFO '.length) ?? ''));
    });
  });
}
