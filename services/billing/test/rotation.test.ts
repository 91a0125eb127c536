import { rotateSecrets } from '@app/service-host/rotate-secrets';
import { resealColumn } from '@app/service-kit/reseal';
import { query } from '@app/testing/sql';
import { beforeEach, expect, test } from 'vitest';
import { createProcessorSecrets, keyPurpose } from '../src/processors/processor-secrets.ts';
import { sealWebhookSecret } from '../src/processors/settings/webhook-secrets.ts';
import { billingRotation } from '../src/rotation.ts';
import { database, openStorage, storage } from './set-up.ts';

openStorage();

const before = 'the key of before, of thirty-two characters';
const today = 'the key of today, of thirty-two characters';
const rotation = billingRotation({ SECRETS_KEY: today, SECRETS_KEY_PREVIOUS: before });
const accounts = Array.from({ length: 30 }, (_, n) => `acc_${n}`);
const purpose = keyPurpose('stripe', false, 'acct_1');
const webhookOf = (accountId: string) => ({ accountId, processor: 'stripe', test: false, atProcessor: 'acct_1' });

/** Of each account: a secret, a key, and the two secrets of a webhook. */
beforeEach(async () => {
  const secrets = createProcessorSecrets([before]);
  await query(storage.url, 'truncate processor_settings, processor_keys, processor_webhooks');
  for (const account of accounts) {
    await query(
      storage.url,
      `insert into processor_settings (account_id, processor, chosen, secret_key, updated_at, version)
       values ($1, 'simulated', true, $2, now(), 1)`,
      [account, secrets.seal('sk_simulated', account, 'simulated')],
    );
    await query(
      storage.url,
      `insert into processor_keys (account_id, processor, test, at_processor, secret_key, publishable_key,
         missing_permissions, current, stored_at)
       values ($1, 'stripe', false, 'acct_1', $2, 'pk_1', '{}', true, now())`,
      [account, secrets.seal('sk_stripe', account, purpose)],
    );
    const [secret, earlier] = ['whsec_1', 'whsec_0'].map((text) =>
      sealWebhookSecret(secrets, webhookOf(account), text),
    );
    await query(
      storage.url,
      `insert into processor_webhooks (account_id, processor, test, at_processor, status, secret, earlier_secret)
       values ($1, 'stripe', false, 'acct_1', 'by_hand', $2, $3)`,
      [account, secret, earlier],
    );
  }
});

interface Stored {
  readonly account_id: string;
  readonly secret: Buffer;
}

/** Opens everything with one key. */
async function openAll(key: string): Promise<void> {
  const secrets = createProcessorSecrets([key]);
  const of = (sql: string) => query<Stored>(storage.url, sql);
  for (const row of await of('select account_id, secret_key as secret from processor_settings'))
    expect(secrets.open(row.secret, row.account_id, 'simulated')).toBe('sk_simulated');
  for (const row of await of('select account_id, secret_key as secret from processor_keys'))
    expect(secrets.open(row.secret, row.account_id, purpose)).toBe('sk_stripe');
  for (const row of await of('select account_id, secret from processor_webhooks'))
    expect(secrets.open(row.secret, row.account_id, `webhook ${purpose}`)).toBe('whsec_1');
  for (const row of await of('select account_id, earlier_secret as secret from processor_webhooks'))
    expect(secrets.open(row.secret, row.account_id, `webhook ${purpose}`)).toBe('whsec_0');
}

async function rotate(settings = rotation): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await rotateSecrets('billing', storage.url, settings, (line) => lines.push(line));
  return { code, lines };
}

test('everything is sealed anew once, and the key before may be removed', async () => {
  const { code, lines } = await rotate();
  expect(code).toBe(0);
  expect(lines[0]).toBe('billing: secrets of processors: 30 sealed anew, 0 already, 0 left, 0 cannot be opened');
  expect(lines.at(-1)).toBe('billing: nothing is left: SECRETS_KEY_PREVIOUS may be removed');
  await openAll(today);
  expect((await rotate(billingRotation({ SECRETS_KEY: today }))).lines[1]).toContain('0 sealed anew, 30 already');
});

test.each([1, 7, 29])('a run that dies after %i values is completed by the next', async (deadly) => {
  let written = 0;
  const dying = {
    query: async (config: { readonly text: string; readonly values: unknown[] }) => {
      if (config.text.startsWith('update') && ++written > deadly) throw new Error('killed');
      return await database.pool.query(config);
    },
  };
  const [column] = rotation.columns;
  if (column === undefined) throw new Error('billing has sealed columns');
  await expect(resealColumn(dying as never, column)).rejects.toThrow('killed');
  const { code, lines } = await rotate();
  expect([code, lines[0]]).toEqual([
    0,
    `billing: secrets of processors: ${30 - deadly} sealed anew, ${deadly} already, 0 left, 0 cannot be opened`,
  ]);
  await openAll(today);
});

test('a value that is changed while it is sealed anew stays as it was changed', async () => {
  const changed = createProcessorSecrets([today, before]).seal('sk_new', 'acc_3', 'simulated');
  const racing = {
    query: async (config: { readonly text: string; readonly values: unknown[] }) => {
      const result = await database.pool.query(config);
      if (config.text.startsWith('select'))
        await query(storage.url, `update processor_settings set secret_key = $1 where account_id = 'acc_3'`, [changed]);
      return result;
    },
  };
  const [column] = rotation.columns;
  if (column === undefined) throw new Error('billing has sealed columns');
  expect(await resealColumn(racing as never, column)).toMatchObject({ resealed: 29, current: 1 });
  const [row] = await query<Stored>(
    storage.url,
    `select account_id, secret_key as secret from processor_settings where account_id = 'acc_3'`,
  );
  expect(row?.secret.equals(changed)).toBe(true);
});

test('with a wrong key of before nothing is changed, and the error names the setting', async () => {
  const wrong = billingRotation({ SECRETS_KEY: today, SECRETS_KEY_PREVIOUS: 'a wrong key of before, thirty-two' });
  const { code, lines } = await rotate(wrong);
  expect(code).toBe(1);
  expect(lines.at(-1)).toContain('120 values open neither with SECRETS_KEY nor with SECRETS_KEY_PREVIOUS');
  await openAll(before);
});
