import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type RunningSettings,
  readConnections,
  readRunningSettings,
  removeConnections,
  writeConnections,
} from './connections.ts';
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

const running: RunningSettings = {
  ...{ url: 'http://127.0.0.1:3000', HOST: '127.0.0.1', TRUST_PROXY: 1, dailyStartMinute: 180 },
  warnings: ['KEY_PEPPER: ignored'],
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'funnelry-connections-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the connections of a run are for its owner alone, and are gone when it has stopped', () => {
  writeConnections(directory, infrastructure, secrets, { installationId: 'own', running });
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
  expect(readRunningSettings(directory)).toEqual(running);
  removeConnections(directory);
  expect(readRunningSettings(directory)).toBeUndefined();
  expect(() => readConnections(directory, 'metrics')).toThrow(/connections\.json is missing.*npm start/);
});

test('a damaged file is named, without what it holds', () => {
  writeConnections(directory, infrastructure, secrets, { installationId: 'own', running });
  truncateSync(join(directory, 'connections.json'), 100);
  expect(() => readConnections(directory, 'metrics')).toThrow(/connections\.json is damaged/);
});
