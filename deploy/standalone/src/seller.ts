import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, newIdSuffix } from '@app/contracts/ids';
import { createApiKey } from '@app/gateway/create-api-key';
import type { GatewayParts } from '@app/gateway/gateway-deps';
import { createLoginLink } from '@app/gateway/login-link';
import { resetPassword } from '@app/gateway/reset-password';
import { signUp } from '@app/gateway/sign-up';
import type { AdjustableClock } from '@app/service-kit/clock';
import { type Credentials, credentialsFile, readCredentials } from './credentials.ts';
import { demoSeller } from './demo/demo-shop.ts';
import { commandIdAt, openedAt, seedCatalog, seedOrders } from './demo/seed.ts';
import { seedSales } from './demo/seed-sales.ts';
import type { Secrets } from './secrets.ts';
import { throughOutages } from './through-outages.ts';

export interface FirstSeller {
  readonly dataDir: string;
  readonly secrets: Secrets;
  readonly gateway: GatewayParts;
  /** Resolves when the other services are up. */
  readonly others: Promise<unknown>;
  readonly clock: AdjustableClock;
  readonly empty: boolean;
  /** Make a new key and password for the seller that is there. */
  readonly renew: boolean;
  readonly say: (line: string) => void;
}

type Seller = Omit<Credentials, 'baseUrl'>;

interface User {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
}

/** How the first seller signs in, and the path that logs them in, once, within ten minutes. */
export async function prepareSeller(options: FirstSeller): Promise<{ credentials: Seller; path: string }> {
  const { gateway, clock, say } = options;
  const made = await ensureSeller(options);
  const user = await findUser(options);
  if (user === undefined) return { credentials: made, path: '/login' };
  const path = await throughOutages(() => createLoginLink({ database: gateway.database, clock }, user.id), say);
  return { credentials: { ...made, email: user.email }, path };
}

/**
 * How the first seller signs in; made at the first start, with the demo shop by default. The file with it is
 * written last: while the first start has not finished, the next one does again whatever is not yet done.
 */
async function ensureSeller(options: FirstSeller): Promise<Seller> {
  const kept = options.renew ? undefined : readCredentials(options.dataDir);
  if (kept !== undefined) return kept;
  return await (options.secrets.sellerMade ? renewSeller(options) : makeSeller(options));
}

const signUpCommand = ({ startedAt }: Secrets): string => commandIdAt(startedAt, 'sign-up');

/**
 * The user whom the first start made, whatever address they have today: by the id that the secrets give. After `--new-secrets`
 * these give another id: then it is who has the address of then, or else the first user there was.
 */
async function findUser({ gateway, secrets, say }: FirstSeller): Promise<User | undefined> {
  const { pool } = gateway.database;
  const sql = 'select id, account_id, email from users order by id = $1 desc, email = $2 desc, created_at, id limit 1';
  const values = [idOfCommand('user', signUpCommand(secrets)), demoSeller.email];
  const { rows } = await throughOutages(() => pool.query<User>(sql, values), say);
  return rows[0];
}

async function makeSeller(options: FirstSeller): Promise<Seller> {
  const { secrets, say } = options;
  const accountId = await throughOutages(() => signUpOnce(options), say);
  const commandId = commandIdAt(secrets.startedAt, 'first key');
  const apiKey = await makeKey(options, accountId, commandId, 'First key');
  if (!options.empty) await seed(options, accountId);
  return { email: demoSeller.email, password: secrets.sellerPassword, apiKey, platformKey: secrets.platformKey };
}

/**
 * Makes a new password and a new key, because the owner requested them. When it is cut off, they were not shown: the file
 * is missing, and the next start requests it again.
 */
async function renewSeller(options: FirstSeller): Promise<Seller> {
  const { secrets, gateway, clock, say } = options;
  rmSync(credentialsFile(options.dataDir), { force: true });
  const user = await findUser(options);
  // The first start was cut off before it had made a seller.
  if (user === undefined) return await makeSeller(options);
  const { email } = user;
  const password = randomBytes(32).toString('base64url');
  await throughOutages(() => resetPassword(gateway.database, user.id, password), say);
  const apiKey = await makeKey(options, user.account_id, newIdSuffix(clock.nowMs()), 'New first key');
  say(`${email} has a new password and a new API key; revoke the keys that you do not need any more`);
  return { email, password, apiKey, platformKey: secrets.platformKey };
}

async function makeKey(
  { secrets, gateway, clock, say }: FirstSeller,
  accountId: string,
  commandId: string,
  name: string,
): Promise<string> {
  const deps = { database: gateway.database, clock, config: { KEY_PEPPER: secrets.keyPepper } };
  const wanted = { name, scopes: ['read' as const, 'write' as const, 'money' as const], expiresAt: null };
  return (await throughOutages(() => createApiKey(deps, accountId, commandId, wanted), say)).key;
}

/** Of a deployment that begins without the demo shop, until its seller says another. */
const emptyName = 'My shop';

async function signUpOnce({ gateway, clock, secrets, empty }: FirstSeller): Promise<string> {
  const { database, wakeRelay } = gateway;
  try {
    const { email, name } = demoSeller;
    const wanted = { email, name: empty ? emptyName : name, password: secrets.sellerPassword, address: '' };
    const { accountId } = await signUp({ database, clock }, wanted, signUpCommand(secrets));
    wakeRelay();
    return accountId;
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

async function seed({ gateway, others, secrets, clock, say }: FirstSeller, accountId: string): Promise<void> {
  await others;
  const context = { requester: gateway.requester, accountId, startedAt: secrets.startedAt };
  clock.moveTo(new Date(openedAt(secrets.startedAt)));
  const bumpIds = await seedCatalog(context);
  clock.reset();
  say('demo shop: created its products and affiliate; creating its orders');
  const recorded = await seedOrders(context, bumpIds);
  const sold = await seedSales(context);
  const { paid, refunded, held } = sold;
  say(
    `demo shop ready: ${recorded + paid} orders of the last eight weeks, ${refunded} of them refunded; ${held} more are held`,
  );
}
