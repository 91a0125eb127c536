import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseName, type ServiceName } from '@app/contracts/services';
import { databaseExists } from '@app/embedded/databases';
import type { NatsName } from '@app/messaging/nats-config';
import { z } from 'zod';
import type { StandaloneConfig } from './config.ts';
import { credentialsFile, readCredentials } from './credentials.ts';
import { readPrivate, writePrivate } from './private-file.ts';

const secret = z.string().min(32);

const secretsSchema = z.object({
  keyPepper: secret,
  platformKey: secret,
  secretsKey: secret,
  /** What the passwords of the services are made from; a data directory of 0.2.0 or before gets it at its next start. */
  passwordSeed: secret,
  /** Until 0.2.0 all services had these; kept for a return to it. */
  databasePassword: secret,
  natsPassword: secret,
  sellerPassword: secret,
  /** While they are being rotated (`npm run rotate-secrets`): those before. */
  previous: z.object({ keyPepper: secret, secretsKey: secret }).optional(),
  /** When this deployment first started, in milliseconds since the epoch. */
  startedAt: z.number().int().positive(),
  /** Set when the first start has finished: what is missing from then on is lost, and it is made anew only on request. */
  sellerMade: z.boolean().default(false),
});

const storedSchema = secretsSchema.partial({ passwordSeed: true });

/** What the deployment must keep to itself: made at the first start, kept in the data directory, readable by its owner. */
export type Secrets = Readonly<z.output<typeof secretsSchema>>;

export interface Renewal {
  /** `--new-credentials`: a new API key and password for the first seller. */
  readonly newCredentials: boolean;
  /** `--new-secrets`: that, and everything that keys and webhook secrets are checked and sealed with. */
  readonly newSecrets: boolean;
}

/**
 * A service's own password of PostgreSQL or NATS, the same at every start: whoever has one can work out no other.
 * nats-server takes a value that begins with a digit for a number; it is quoted, but not in every configuration.
 */
export function servicePassword(
  { passwordSeed }: Secrets,
  server: 'postgres' | 'nats',
  name: ServiceName | NatsName,
): string {
  return `s${createHmac('sha256', passwordSeed).update(`${server} ${name}`).digest('base64url')}`;
}

const secretsFile = (dataDir: string): string => join(dataDir, 'secrets.json');
const clusterOf = (dataDir: string): string => join(dataDir, 'postgres', 'cluster');

/**
 * The secrets of this deployment, made at its first start.
 * @throws Error when something is missing that only a backup, or its owner's word, can replace: before anything is changed
 */
export async function loadSecrets(config: StandaloneConfig, renewal: Renewal): Promise<Secrets> {
  const { DATA_DIR: dataDir } = config;
  const file = secretsFile(dataDir);
  if (renewal.newSecrets) return renewSecrets(dataDir);
  const help =
    'Put it back from your backup. If it is lost, start once with `npm start -- --new-secrets`: data and orders stay, ' +
    'every API key ends, the first seller gets a new key and password, secrets of webhook endpoints and of automations ' +
    'that POST have to be rotated, and headers of endpoints and API keys of payment processors stored again.';
  const kept = completed(file, readPrivate(file, storedSchema, help));
  if (kept === undefined) {
    if (await holdsData(config)) throw new Error(`${file} is missing, and the data need it. ${help}`);
    const secrets = freshSecrets(false);
    writePrivate(file, secrets);
    return secrets;
  }
  if (kept.sellerMade) refuseLost(config, renewal);
  return kept;
}

/**
 * Makes a new pepper and a new key of what is sealed; those before go on opening. They count from the next start.
 * @throws Error while a rotation is under way, and when there is no `secrets.json`
 */
export function beginRotation(dataDir: string): void {
  const kept = requireStored(dataDir);
  if (kept.previous !== undefined) throw new Error('A rotation is under way: end it first.');
  const { keyPepper, secretsKey } = kept;
  const fresh = { keyPepper: random(), secretsKey: random(), previous: { keyPepper, secretsKey } };
  writePrivate(secretsFile(dataDir), { ...kept, ...fresh });
}

/** Forgets the secrets before, from the next start on. @throws Error when there are none */
export function endRotation(dataDir: string): void {
  const { previous, ...kept } = requireStored(dataDir);
  if (previous === undefined) throw new Error('No rotation is under way.');
  writePrivate(secretsFile(dataDir), kept);
}

function requireStored(dataDir: string): z.output<typeof storedSchema> {
  const file = secretsFile(dataDir);
  const kept = readPrivate(file, storedSchema, 'Put it back from your backup.');
  if (kept === undefined) throw new Error(`${file} is missing: npm start makes it.`);
  return kept;
}

/** The settings of a service that hold its secrets. */
export function secretSettingsOf(
  service: ServiceName,
  { keyPepper, secretsKey, platformKey, previous }: Secrets,
): Record<string, string | undefined> {
  if (service === 'gateway')
    return { KEY_PEPPER: keyPepper, KEY_PEPPER_PREVIOUS: previous?.keyPepper, PLATFORM_KEY: platformKey };
  // The purpose goes into each service's key, so that one secret is enough for both.
  if (service !== 'billing' && service !== 'webhook-dispatcher') return {};
  return { SECRETS_KEY: secretsKey, SECRETS_KEY_PREVIOUS: previous?.secretsKey };
}

/** On the disk before any server learns a password that is made from it. */
function completed(file: string, stored: z.output<typeof storedSchema> | undefined): Secrets | undefined {
  if (stored === undefined) return undefined;
  const { passwordSeed } = stored;
  if (passwordSeed !== undefined) return { ...stored, passwordSeed };
  const secrets = { ...stored, passwordSeed: random() };
  writePrivate(file, secrets);
  return secrets;
}

/** From now on, what is missing is lost. */
export function noteSellerMade(dataDir: string, secrets: Secrets): void {
  if (!secrets.sellerMade) writePrivate(secretsFile(dataDir), { ...secrets, sellerMade: true });
}

const random = (): string => randomBytes(32).toString('base64url');

function freshSecrets(sellerMade: boolean): Secrets {
  return {
    passwordSeed: random(),
    keyPepper: random(),
    platformKey: random(),
    secretsKey: random(),
    databasePassword: random(),
    natsPassword: random(),
    sellerPassword: random(),
    startedAt: Date.now(),
    sellerMade,
  };
}

function renewSecrets(dataDir: string): Secrets {
  const file = secretsFile(dataDir);
  if (existsSync(file)) renameSync(file, `${file}.old`);
  // First: a start that is cut off in between must not show a key that is refused.
  rmSync(credentialsFile(dataDir), { force: true });
  const secrets = freshSecrets(true);
  writePrivate(file, secrets);
  return secrets;
}

async function holdsData({ DATA_DIR, POSTGRES_URL }: StandaloneConfig): Promise<boolean> {
  if (existsSync(credentialsFile(DATA_DIR))) return true;
  if (POSTGRES_URL === undefined) return existsSync(clusterOf(DATA_DIR));
  return await databaseExists(POSTGRES_URL, databaseName('gateway'));
}

function refuseLost({ DATA_DIR, POSTGRES_URL }: StandaloneConfig, { newCredentials }: Renewal): void {
  const cluster = clusterOf(DATA_DIR);
  if (POSTGRES_URL === undefined && !existsSync(cluster)) {
    throw new Error(`${cluster}, the databases, is missing. Put it back from your backup, or choose another DATA_DIR.`);
  }
  if (newCredentials || readCredentials(DATA_DIR) !== undefined) return;
  throw new Error(
    `${credentialsFile(DATA_DIR)} is missing. Its API key and password are in use and stored nowhere else. ` +
      'Put it back from your backup, or start once with `npm start -- --new-credentials`: it makes a new key and a new ' +
      'password, and the keys of before go on working.',
  );
}
