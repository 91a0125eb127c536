import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DomainError } from '@app/contracts/errors';
import { createApiKey } from '@app/gateway/create-api-key';
import { databaseOptions } from '@app/gateway/migrate';
import { signUp } from '@app/gateway/sign-up';
import { connectNats } from '@app/messaging/connect';
import type { AdjustableClock, Clock } from '@app/service-kit/clock';
import { type Database, openDatabase } from '@app/service-kit/database';
import { demoSeller } from './demo/demo-shop.ts';
import { commandIdAt, openedAt, seedCatalog, seedOrders } from './demo/seed.ts';
import type { Infrastructure } from './infrastructure.ts';
import { type Secrets, writePrivate } from './secrets.ts';

export interface Credentials {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly platformKey: string;
}

export interface FirstSeller {
  readonly dataDir: string;
  readonly secrets: Secrets;
  readonly infrastructure: Infrastructure;
  readonly clock: AdjustableClock;
  readonly empty: boolean;
  readonly say: (line: string) => void;
}

/** How the first seller signs in; made at the first start, with the demo shop unless told otherwise. */
export async function ensureSeller(options: FirstSeller): Promise<Omit<Credentials, 'baseUrl'>> {
  const file = credentialsFile(options.dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : await makeSeller(options);
}

/** Written last: while the file is missing, the next start does again whatever is not yet done. */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writePrivate(credentialsFile(dataDir), credentials);
}

export const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json');

async function makeSeller(options: FirstSeller): Promise<Omit<Credentials, 'baseUrl'>> {
  const { secrets, infrastructure, clock } = options;
  const database = await openDatabase({ ...databaseOptions(infrastructure.databaseUrl('gateway')), poolMax: 2 });
  try {
    const accountId = await signUpOnce(database, clock, secrets);
    const deps = { database, clock, config: { KEY_PEPPER: secrets.keyPepper } };
    const wanted = {
      name: 'First key',
      scopes: ['read' as const, 'write' as const, 'money' as const],
      expiresAt: null,
    };
    const { key } = await createApiKey(deps, accountId, commandIdAt(secrets.startedAt, 'first key'), wanted);
    if (!options.empty) await seed(options, accountId);
    const { email } = demoSeller;
    return {
      email,
      password: secrets.sellerPassword,
      apiKey: key,
      platformKey: secrets.platformKey,
    };
  } finally {
    await database.close();
  }
}

async function signUpOnce(database: Database, clock: Clock, secrets: Secrets): Promise<string> {
  try {
    const wanted = { ...demoSeller, password: secrets.sellerPassword };
    return (await signUp({ database, clock }, wanted, commandIdAt(secrets.startedAt, 'sign-up'))).accountId;
  } catch (err) {
    if (!(err instanceof DomainError && err.code === 'email_taken')) throw err;
    const { rows } = await database.pool.query<{ account_id: string }>(
      'select account_id from users where email = $1',
      [demoSeller.email],
    );
    const [user] = rows;
    if (user === undefined) throw err;
    return user.account_id;
  }
}

async function seed(options: FirstSeller, accountId: string): Promise<void> {
  const { infrastructure, secrets, clock, say } = options;
  const { NATS_USER, NATS_PASSWORD } = infrastructure.natsUser('gateway');
  const link = await connectNats({
    url: infrastructure.natsUrl,
    user: NATS_USER,
    password: NATS_PASSWORD,
    service: 'gateway',
  });
  const context = { link, accountId, startedAt: secrets.startedAt };
  try {
    clock.moveTo(new Date(openedAt(secrets.startedAt)));
    const bumpIds = await seedCatalog(context);
    clock.reset();
    say('demo shop: products and partner are there, now its orders');
    const orders = await seedOrders(context, bumpIds);
    say(`demo shop ready: ${orders} orders of the last eight weeks`);
  } finally {
    await link.close();
  }
}
