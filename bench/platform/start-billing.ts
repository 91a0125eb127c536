import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseUrl } from '@app/embedded/databases';
import { natsPasswordVariable } from '@app/messaging/nats-config';
import { type Program, startProgram } from '../child-processes.ts';
import type { Infra } from '../infra.ts';
import { launcher, platformDirectory } from './start-platform.ts';

const main = fileURLToPath(new URL('../../services/billing/src/main.ts', import.meta.url));

/** Another replica of billing beside the one of the platform, which runs. */
export async function startBillingReplica(infra: Infra, settings: Record<string, string>): Promise<Program> {
  const secrets = join(platformDirectory(infra), 'secrets.json');
  const { secretsKey } = JSON.parse(readFileSync(secrets, 'utf8')) as { secretsKey: string };
  const { DATABASE_URL: _database, NATS_URL: _nats, ...inherited } = process.env;
  const env = {
    ...inherited,
    DATABASE_URL: databaseUrl(infra.postgres.url, 'billing'),
    NATS_URL: infra.nats.url,
    NATS_USER: 'billing',
    NATS_PASSWORD: infra.nats.platform[natsPasswordVariable('billing')] ?? '',
    SECRETS_KEY: secretsKey,
    ...settings,
  };
  const log = join(infra.directory, 'billing.log');
  return await startProgram([launcher, main], env, log, /^billing ready$/m);
}
