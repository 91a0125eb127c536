import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { listPayments, startPayment } from '@app/contracts/payments';
import { type Database, openDatabase } from '@app/service-kit/database';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../../src/db/migrate.ts';
import type { PaymentProcessor } from '../../src/processors/port.ts';
import { createProcessors, NoProcessorError, type SimulatedMode } from '../../src/processors/processor-registry.ts';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import {
  getPaymentProcessor as getPaymentProcessorOf,
  putPaymentProcessor as putPaymentProcessorOf,
} from '../../src/processors/settings/processor-settings.ts';
import { openSimulatedProcessor, type SimulatedProcessor } from '../../src/processors/simulated/simulated-processor.ts';
import { secretsKey } from '../harness.ts';
import { startInput } from '../payment-samples.ts';
import { orderEvent } from '../samples.ts';
import { harness, startService } from '../set-up.ts';

startService({ SIMULATED_PROCESSOR: 'enabled' });

let database: Database;
let simulated: SimulatedProcessor;
beforeAll(async () => {
  database = await openDatabase(databaseOptions(harness.databaseUrl));
  simulated = await openSimulatedProcessor({ databaseUrl: harness.databaseUrl, clock: harness.clock });
});
afterAll(async () => {
  await Promise.all([database.close(), simulated.close()]);
});

const newAccount = (): string => newId('account', harness.clock.nowMs());
const newCommand = (): string => newId('event', harness.clock.nowMs()).slice(-26);
const secrets = createProcessorSecrets([secretsKey]);
/** As another replica of the service has it. */
const replica = (adapters: PaymentProcessor[] = [simulated], mode: SimulatedMode = 'enabled') =>
  createProcessors(database, secrets, adapters, mode);

const get = (accountId: string) => harness.requester.request(getPaymentProcessor, {}, { accountId, requestId: 'r' });
const put = (accountId: string, secretKey?: string, commandId = newCommand()) => {
  const body = { processor: 'simulated' as const, ...(secretKey === undefined ? {} : { secretKey }) };
  return harness.requester.request(putPaymentProcessor, { body }, { accountId, requestId: 'r', commandId });
};

test('an account that has chosen no processor takes no live payment; rehearsals it takes', async () => {
  const account = newAccount();
  expect(await get(account)).toEqual({ processor: 'none', secrets: [], updated_at: null, version: 1, stripe: null });
  const pay = (fields: Parameters<typeof startInput>[0] = {}) => {
    const context = { accountId: account, requestId: 'r', commandId: newCommand() };
    return harness.requester.request(startPayment, startInput(fields), context);
  };
  expect(await pay()).toMatchObject({ status: 'declined', reason: 'try_again_later', attemptNo: 1 });
  expect(await pay()).toMatchObject({ status: 'declined' });
  expect(await pay({ test: true })).toMatchObject({ status: 'succeeded' });
  const entries = 'select test from simulated_processor.entries where account_id = $1';
  expect(await query(harness.databaseUrl, entries, [account])).toEqual([{ test: true }]);
  const { data } = await harness.requester.request(listPayments, {}, { accountId: account, requestId: 'r' });
  expect(data[0]).toMatchObject({ status: 'declined', reason: 'no_payment_processor', processor: 'none' });
  const notices = (await harness.publishedOf(account)).flatMap(({ data: { summary } }) => summary ?? []);
  expect(notices).toEqual([expect.stringMatching(/chosen no payment processor.*PUT \/api\/v1\/payment-processor/)]);
  await put(account);
  expect(await pay()).toMatchObject({ status: 'succeeded' });
});

test('renewals wait until the account has chosen a processor, and the run says so', async () => {
  const account = newAccount();
  await harness.deliver(orderPaid, orderEvent(account, { paymentMethod: 'sim_ok' }));
  const run = () => {
    const caller = { accountId: account, requestId: 'r', commandId: newCommand() };
    return harness.requester.request(startDailyRun, { accountId: account, force: false }, caller);
  };
  const detail = expect.stringMatching(/^1 renewal waits until you choose a payment processor/);
  expect(await run()).toMatchObject({
    ...{ ok: false, rebills: { charged: 0 } },
    problems: [{ code: 'no_payment_processor', detail }],
  });
  await put(account);
  expect(await run()).toMatchObject({ ok: true, rebills: { charged: 1, chargedCents: 1_900 }, problems: [] });
});

test('a deployment that forbids the simulated processor lets no account choose it, and no choice of before counts', async () => {
  const account = newAccount();
  await put(account);
  const forbidding = replica([simulated], 'disabled');
  await expect(forbidding.chosen(account, false)).rejects.toThrow(NoProcessorError);
  expect((await forbidding.chosen(account, true)).processor).toBe(simulated);
  // What follows from an earlier payment goes where that went.
  expect((await forbidding.named('simulated', account, false)).processor).toBe(simulated);
  const stripe = {
    keyOwner: () => Promise.reject(new Error('called')),
    isClockMoved: () => false,
    deadlineMs: 1_000,
    wakeEndpoints: () => undefined,
  };
  const deps = { database, clock: harness.clock, secrets, processors: forbidding, stripe };
  expect(await getPaymentProcessorOf(deps, account)).toMatchObject({ processor: 'none' });
  await expect(
    putPaymentProcessorOf(deps, account, newCommand(), { body: { processor: 'simulated' } }),
  ).rejects.toThrow('SIMULATED_PROCESSOR');
});

test('where the deployment says so, an account that has chosen nothing has the simulated processor', async () => {
  expect((await replica([simulated], 'default').chosen(newAccount(), false)).processor).toBe(simulated);
});

test('a secret is stored sealed, used, and never shown', async () => {
  const account = newAccount();
  const stored = await put(account, 'sk_secret_of_the_shop');
  expect(stored).toEqual({
    processor: 'simulated',
    secrets: ['secretKey'],
    updated_at: harness.clock.now().toISOString(),
    version: 2,
    stripe: null,
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

test('a choice that was made from an earlier one than the current is refused, and nothing is changed', async () => {
  const account = newAccount();
  const putFrom = (ifVersion: number, processor: 'simulated' | 'none', commandId = newCommand()) =>
    harness.requester.request(
      putPaymentProcessor,
      { body: { processor }, ifVersion },
      { accountId: account, requestId: 'r', commandId },
    );
  const command = newCommand();
  const first = await putFrom(1, 'simulated', command);
  expect(first).toMatchObject({ processor: 'simulated', version: 2 });
  const refused = {
    code: 'version_changed',
    message: expect.stringMatching(/names version 1,.*version is 2: read it/),
  };
  await expect(putFrom(1, 'none')).rejects.toMatchObject(refused);
  expect(await get(account)).toEqual(first);
  expect(await putFrom(1, 'simulated', command)).toEqual(first);
  const at = [putFrom(2, 'none'), putFrom(2, 'none')];
  expect((await Promise.allSettled(at)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await get(account)).toMatchObject({ processor: 'none', version: 3 });
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
  const requested = replica();
  expect(await requested.chosen(account, true)).toEqual({ processor: simulated, secretKey: undefined });
  expect(await requested.chosen(account, false)).toEqual({ processor: simulated, secretKey: 'sim_key_revoked' });
});

test('what follows from a payment goes to its own processor, with the key that is stored for it', async () => {
  const account = newAccount();
  const other = { ...simulated, name: 'other' };
  const settings = `insert into processor_settings (account_id, processor, chosen, secret_key, updated_at, version)
    values ($1, $2, $3, $4, now(), 1)`;
  await query(harness.databaseUrl, settings, [account, 'simulated', false, secrets.seal('old', account, 'simulated')]);
  await query(harness.databaseUrl, settings, [account, 'other', true, secrets.seal('new', account, 'other')]);
  const requested = replica([simulated, other]);
  expect(await requested.chosen(account, false)).toEqual({ processor: other, secretKey: 'new' });
  expect(await requested.chosen(account, true)).toEqual({ processor: simulated, secretKey: undefined });
  expect(await requested.named('simulated', account, false)).toEqual({ processor: simulated, secretKey: 'old' });
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
