import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { createApiKey } from '@app/gateway/create-api-key';
import { databaseOptions } from '@app/gateway/migrate';
import { resetPassword } from '@app/gateway/reset-password';
import { signUp } from '@app/gateway/sign-up';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import type { AdjustableClock, Clock } from '@app/service-kit/clock';
import { type Database, openDatabase } from '@app/service-kit/database';
import { type Credentials, credentialsFile, readCredentials } from './credentials.ts';
import { demoSeller } from './demo/demo-shop.ts';
import { commandIdAt, openedAt, seedCatalog, seedOrders } from './demo/seed.ts';
import { seedSales } from './demo/seed-sales.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Secrets } from './secrets.ts';

export interface FirstSeller {
  readonly dataDir: string;
  readonly secrets: Secrets;
  readonly infrastructure: Infrastructure;
  readonly clock: AdjustableClock;
  readonly empty: boolean;
  /** Make a new key and password for the seller that is there. */
  readonly renew: boolean;
  readonly say: (line: string) => void;
}

type Seller = Omit<Credentials, 'baseUrl'>;

/**
 * How the first seller signs in; made at the first start, with the demo shop unless told otherwise. The file with it is
 * written last: while the first start has not finished, the next one does again whatever is not yet done.
 */
export async function ensureSeller(options: FirstSeller): Promise<Seller> {
  const kept = options.renew ? undefined : readCredentials(options.dataDir);
  if (kept !== undefined) return kept;
  const url = options.infrastructure.databaseUrl('gateway');
  const database = await openDatabase({ ...databaseOptions(url), poolMax: 2 });
  try {
    return await (options.secrets.sellerMade ? renewSeller(options, database) : makeSeller(options, database));
  } finally {
    await database.close();
  }
}

async function makeSeller(options: FirstSeller, database: Database): Promise<Seller> {
  const { secrets, clock } = options;
  const accountId = await signUpOnce(database, clock, secrets);
  const commandId = commandIdAt(secrets.startedAt, 'first key');
  const apiKey = await makeKey(options, database, accountId, commandId, 'First key');
  if (!options.empty) await seed(options, accountId);
  return { email: demoSeller.email, password: secrets.sellerPassword, apiKey, platformKey: secrets.platformKey };
}

/**
 * Makes a new password and a new key, because the owner asked for them. When it is cut off, nobody has seen them: the file
 * is missing, and the next start asks for it again.
 */
async function renewSeller(options: FirstSeller, database: Database): Promise<Seller> {
  const { secrets, clock, say } = options;
  const { email } = demoSeller;
  rmSync(credentialsFile(options.dataDir), { force: true });
  const password = randomBytes(32).toString('base64url');
  const accountId = await resetPassword(database, email, password);
  // The first start was cut off before it had made anybody.
  if (accountId === null) return await makeSeller(options, database);
  const apiKey = await makeKey(options, database, accountId, newIdSuffix(clock.nowMs()), 'New first key');
  say(`${email} has a new password and a new API key; revoke the keys that you do not need any more`);
  return { email, password, apiKey, platformKey: secrets.platformKey };
}

async function makeKey(
  { secrets, clock }: FirstSeller,
  database: Database,
  accountId: string,
  commandId: string,
  name: string,
): Promise<string> {
  const deps = { database, clock, config: { KEY_PEPPER: secrets.keyPepper } };
  const wanted = { name, scopes: ['read' as const, 'write' as const, 'money' as const], expiresAt: null };
  return (await createApiKey(deps, accountId, commandId, wanted)).key;
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
  const context = { requester: createRequester(link), accountId, startedAt: secrets.startedAt };
  try {
    clock.moveTo(new Date(openedAt(secrets.startedAt)));
    const bumpIds = await seedCatalog(context);
    clock.reset();
    say('demo shop: products and affiliate are there, now its orders');
    const [recorded, sold] = await Promise.all([seedOrders(context, bumpIds), seedSales(context)]);
    const { paid, refunded, held } = sold;
    say(
      `demo shop ready: ${recorded + paid} orders of the last eight weeks, ${refunded} of them refunded; ${held} more are held`,
    );
  } finally {
    await link.close();
  }
}
