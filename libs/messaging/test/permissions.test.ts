import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type RunningNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectNats } from '../src/connect.ts';
import { natsUsersConfig } from '../src/nats-config.ts';

guardLeaks();

let directory: string;
let nats: RunningNatsServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-permissions-'));
  const configFile = join(directory, 'nats.conf');
  await writeFile(
    configFile,
    natsUsersConfig((service) => `"password-of-${service}"`),
  );
  const binary = await findNatsServer({ env: process.env, log: () => undefined });
  nats = await startNatsServer({ binary, dataDir: join(directory, 'data'), configFile });
});

afterAll(async () => {
  await nats.stop();
  await rm(directory, { recursive: true, force: true });
});

test('nats-server is not configured to remember the reply subject of every message', () => {
  expect(natsUsersConfig(() => '"p"')).not.toContain('allow_responses');
});

test('a user without its password gets no connection', async () => {
  const wrong = { url: nats.url, service: 'gateway' as const, user: 'gateway', password: 'a guess' };
  await expect(connectNats(wrong)).rejects.toThrow(/authorization/i);
});
