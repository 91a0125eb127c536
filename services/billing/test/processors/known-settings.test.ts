import { newId } from '@app/contracts/ids';
import { fakeClock } from '@app/testing/fake-clock';
import { untilBlocked } from '@app/testing/poll-system';
import { holdTransaction, query } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAttemptWriter } from '../../src/charging/attempt-store.ts';
import { newAttempt } from '../../src/charging/new-attempt.ts';
import type { PaymentProcessor } from '../../src/processors/port.ts';
import { createProcessors, type KnownProcessors } from '../../src/processors/processor-registry.ts';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import { startInput } from '../payment-samples.ts';
import { database, openStorage, storage } from '../set-up.ts';

openStorage();

let processors: KnownProcessors;
const secrets = createProcessorSecrets(['a key of at least thirty-two characters']);
const adapter = { name: 'simulated' } as PaymentProcessor;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  processors = createProcessors(database, secrets, [adapter], 'default');
});
afterEach(() => void vi.useRealTimers());

/** As another replica writes it. */
const store = (accountId: string, secretKey: string) =>
  query(
    storage.url,
    `insert into processor_settings (account_id, processor, chosen, secret_key, updated_at, version)
     values ($1, 'simulated', true, $2, now(), 1)
     on conflict (account_id, processor) do update set secret_key = excluded.secret_key,
       version = processor_settings.version + 1`,
    [accountId, secrets.seal(secretKey, accountId, 'simulated')],
  );
const keyOf = async (accountId: string) => (await processors.chosen(accountId, false)).secretKey;

test('payments within a second read the settings once, and later ones see what another replica has changed', async () => {
  const account = newId('account', Date.now());
  await store(account, 'first');
  const statements = vi.spyOn(database.pool, 'query');
  try {
    expect(await Promise.all([keyOf(account), keyOf(account), keyOf(account)])).toEqual(['first', 'first', 'first']);
    await store(account, 'second');
    vi.advanceTimersByTime(999);
    expect(await keyOf(account)).toBe('first');
    expect(statements).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(await keyOf(account)).toBe('second');
    expect(statements).toHaveBeenCalledTimes(2);
  } finally {
    statements.mockRestore();
  }
});

test('this replica sees its own change at once, and a look-up begun before it is not used after it', async () => {
  const account = newId('account', Date.now());
  await store(account, 'first');
  expect(await keyOf(account)).toBe('first');
  const { promise, resolve } = Promise.withResolvers<{ rows: unknown[] }>();
  const statements = vi.spyOn(database.pool, 'query').mockReturnValueOnce(promise as never);
  try {
    processors.forget(account);
    const before = keyOf(account);
    await store(account, 'second');
    processors.forget(account);
    expect(await keyOf(account)).toBe('second');
    const sealed = secrets.seal('first', account, 'simulated');
    resolve({ rows: [{ processor: 'simulated', chosen: true, secret_key: sealed }] });
    expect(await before).toBe('first');
    expect(await keyOf(account)).toBe('second');
  } finally {
    statements.mockRestore();
  }
});

test('a look-up that fails is not remembered', async () => {
  const account = newId('account', Date.now());
  await store(account, 'first');
  const statements = vi.spyOn(database.pool, 'query').mockRejectedValueOnce(new Error('database away') as never);
  try {
    await expect(keyOf(account)).rejects.toThrow('database away');
    expect(await keyOf(account)).toBe('first');
  } finally {
    statements.mockRestore();
  }
});

/** An attempt of a buyer's first payment, as this replica writes it. */
async function attempt(account: string): Promise<'written' | readonly unknown[]> {
  const writer = createAttemptWriter(database, processors);
  const deps = { database, clock: fakeClock(), processors, processorCalls: { deadlineMs: 1_000 } } as never;
  const written = await writer.add(await newAttempt(deps, account, startInput()));
  await writer.close();
  return written;
}

test('a payment that is written after another replica has stored another key goes to that key at once', async () => {
  const account = newId('account', Date.now());
  await store(account, 'first');
  expect(await keyOf(account)).toBe('first');
  expect(await attempt(account)).toBe('written');
  expect(await keyOf(account)).toBe('first');
  await store(account, 'second');
  expect(await keyOf(account)).toBe('first');
  expect(await attempt(account)).toBe('written');
  expect(await keyOf(account)).toBe('second');
});

test('a payment that is written while keys are stored waits for them, and goes to the new ones', async () => {
  const account = newId('account', Date.now());
  await store(account, 'first');
  expect(await keyOf(account)).toBe('first');
  const stored = Promise.withResolvers<void>();
  const blocked = Promise.withResolvers<void>();
  const storing = holdTransaction(database, async (client) => {
    const lock = `select pg_advisory_xact_lock(hashtextextended('payment processor ' || $1, 0))`;
    await client.query({ text: lock, values: [account] } as never);
    stored.resolve();
    await blocked.promise;
    const sealed = secrets.seal('second', account, 'simulated');
    const text = 'update processor_settings set secret_key = $2, version = version + 1 where account_id = $1';
    await client.query({ text, values: [account, sealed] } as never);
  });
  await stored.promise;
  const writing = attempt(account);
  await untilBlocked(database.pool);
  blocked.resolve();
  await storing;
  expect(await writing).toBe('written');
  expect(await keyOf(account)).toBe('second');
});
