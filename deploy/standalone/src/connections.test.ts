import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConnections, removeConnections, writeConnections } from './connections.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Secrets } from './secrets.ts';

const infrastructure: Infrastructure = {
  natsUrl: 'nats://127.0.0.1:1',
  natsUser: (service) => ({ NATS_USER: service, NATS_PASSWORD: 'n' }),
  databaseUrl: (service) => `postgres://${service}:p@127.0.0.1:2/${service}`,
  databaseReady: async () => undefined,
  renewNats: async () => undefined,
};

const secrets: Secrets = {
  ...{ keyPepper: 'pepper', platformKey: 'platform', secretsKey: 'key', passwordSeed: 'seed', databasePassword: 'd' },
  ...{ natsPassword: 'n', sellerPassword: 's', startedAt: 1, sellerMade: true },
  previous: { keyPepper: 'earlier pepper', secretsKey: 'earlier key' },
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'funnelry-connections-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the connections of a run are for its owner alone, and are gone when it has stopped', () => {
  writeConnections(directory, infrastructure, secrets, 'own');
  expect(statSync(join(directory, 'connections.json')).mode & 0o777).toBe(0o600);
  expect(readConnections(directory, 'metrics')).toEqual({
    DATABASE_URL: 'postgres://metrics:p@127.0.0.1:2/metrics',
    NATS_URL: 'nats://127.0.0.1:1',
    NATS_USER: 'metrics',
    NATS_PASSWORD: 'n',
    INSTALLATION_ID: 'own',
  });
  expect(readConnections(directory, 'billing')).toMatchObject({
    SECRETS_KEY: 'key',
    SECRETS_KEY_PREVIOUS: 'earlier key',
  });
  removeConnections(directory);
  expect(() => readConnections(directory, 'metrics')).toThrow(/connections\.json is missing.*npm start/);
});

test('a damaged file is named, without what it holds', () => {
  writeConnections(directory, infrastructure, secrets, 'own');
  truncateSync(join(directory, 'connections.json'), 100);
  expect(() => readConnections(directory, 'metrics')).toThrow(/connections\.json is damaged/);
});
