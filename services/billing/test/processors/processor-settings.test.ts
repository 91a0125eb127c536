import { newId } from '@app/contracts/ids';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payments';
import { type Database, openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../../src/db/migrate.ts';
import type { PaymentProcessor } from '../../src/processors/payment-processor.ts';
import { createProcessors } from '../../src/processors/processor-registry.ts';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import { openSimulatedProcessor, type SimulatedProcessor } from '../../src/processors/simulated-processor.ts';
import { type Harness, secretsKey, startHarness } from '../harness.ts';

guardLeaks();

let harness: Harness;
let database: Database;
let simulated: SimulatedProcessor;
beforeAll(async () => {
  harness = await startHarness();
  database = await openDatabase(databaseOptions(harness.databaseUrl));
  simulated = await openSimulatedProcessor({ databaseUrl: harness.databaseUrl, clock: harness.clock });
});
afterAll(async () => {
  await Promise.all([database.close(), simulated.close()]);
  await harness.close();
});

const newAccount = (): string => newId('account', harness.clock.nowMs());
const newCommand = (): string => newId('event', harness.clock.nowMs()).slice(-26);
const secrets = createProcessorSecrets(secretsKey);
/** As another replica of the service has it. */
const replica = (adapters: PaymentProcessor[] = [simulated]) => createProcessors(database, secrets, adapters);

const get = (accountId: string) => harness.requester.request(getPaymentProcessor, {}, { accountId, requestId: 'r' });
const put = (accountId: string, secretKey?: string, commandId = newCommand()) => {
  const body = { processor: 'simulated' as const, ...(secretKey === undefined ? {} : { secretKey }) };
  return harness.requester.request(putPaymentProcessor, { body }, { accountId, requestId: 'r', commandId });
};

test('an account that has chosen nothing has the simulated processor, without a secret', async () => {
  const account = newAccount();
  expect(await get(account)).toEqual({ processor: 'simulated', secrets: [], updated_at: null });
  expect(await replica().chosen(account, false)).toEqual({ processor: simulated, secretKey: undefined });
});

test('a secret is stored sealed, used, and never shown', async () => {
  const account = newAccount();
  const stored = await put(account, 'sk_secret_of_the_shop');
  expect(stored).toEqual({
    processor: 'simulated',
    secrets: ['secretKey'],
    updated_at: harness.clock.now().toISOString(),
  });
  expect(await get(account)).toEqual(stored);
  const { secretKey } = await replica().chosen(account, false);
  expect(secretKey).toBe('sk_secret_of_the_shop');
  const tables = ['processor_settings', 'commands'].map((table) => `select t::text as row from ${table} as t`);
  const rows = await query<{ row: string }>(harness.databaseUrl, tables.join(' union all '));
  const hex = Buffer.from('sk_secret_of_the_shop').toString('hex');
  expect(rows.filter(({ row }) => row.includes('sk_secret') || row.includes(hex))).toEqual([]);
  expect(rows.filter(({ row }) => row.includes(account))).toHaveLength(1);
});

test('a secret that is left out stays; a repeated command does not bring an older one back', async () => {
  const account = newAccount();
  const first = newCommand();
  const answer = await put(account, 'first', first);
  await put(account, 'second');
  expect(await put(account, 'first', first)).toEqual(answer);
  expect(await put(account)).toMatchObject({ secrets: ['secretKey'] });
  expect((await replica().chosen(account, false)).secretKey).toBe('second');
});

test('a secret opens for its own account alone', async () => {
  const [account, other] = [newAccount(), newAccount()];
  await put(account, 'mine');
  await put(other, 'theirs');
  const copy = `update processor_settings as kept set secret_key = source.secret_key
    from processor_settings as source where kept.account_id = $1 and source.account_id = $2`;
  await query(harness.databaseUrl, copy, [other, account]);
  await expect(replica().chosen(other, false)).rejects.toThrow('cannot be opened');
});

test('a rehearsal goes to the simulated processor without the account’s key', async () => {
  const account = newAccount();
  await put(account, 'sim_key_revoked');
  const asked = replica();
  expect(await asked.chosen(account, true)).toEqual({ processor: simulated, secretKey: undefined });
  expect(await asked.chosen(account, false)).toEqual({ processor: simulated, secretKey: 'sim_key_revoked' });
});

test('what follows from a payment goes to its own processor, with the key that is stored for it', async () => {
  const account = newAccount();
  const other = { ...simulated, name: 'other' };
  const settings = `insert into processor_settings (account_id, processor, chosen, secret_key, updated_at)
    values ($1, $2, $3, $4, now())`;
  await query(harness.databaseUrl, settings, [account, 'simulated', false, secrets.seal('old', account, 'simulated')]);
  await query(harness.databaseUrl, settings, [account, 'other', true, secrets.seal('new', account, 'other')]);
  const asked = replica([simulated, other]);
  expect(await asked.chosen(account, false)).toEqual({ processor: other, secretKey: 'new' });
  expect(await asked.chosen(account, true)).toEqual({ processor: simulated, secretKey: undefined });
  expect(await asked.named('simulated', account, false)).toEqual({ processor: simulated, secretKey: 'old' });
  // Choosing again needs no key: the one of before is still there.
  expect(await put(account)).toMatchObject({ processor: 'simulated', secrets: ['secretKey'] });
  const chosen = 'select processor from processor_settings where account_id = $1 and chosen';
  expect(await query(harness.databaseUrl, chosen, [account])).toEqual([{ processor: 'simulated' }]);
});

test('changes of one account at once leave one processor chosen', async () => {
  const account = newAccount();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => put(account, `key ${index}`)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  const rows = await query(harness.databaseUrl, 'select chosen from processor_settings where account_id = $1', [
    account,
  ]);
  expect(rows).toEqual([{ chosen: true }]);
});
