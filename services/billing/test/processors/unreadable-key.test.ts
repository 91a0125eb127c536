import { newId } from '@app/contracts/ids';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import * as contract from '@app/contracts/payments';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import { startInput } from '../payment-samples.ts';
import { commandOf, harness, startService } from '../set-up.ts';

startService();

const storeKey = (account: string) =>
  harness.requester.request(
    putPaymentProcessor,
    { body: { processor: 'simulated', secretKey: 'sk_1' } },
    commandOf(account),
  );
/** As it is after the service's `SECRETS_KEY` was changed. */
async function loseKey(account: string): Promise<void> {
  await storeKey(account);
  const sealed = createProcessorSecrets(['the key of before, thirty-two characters']).seal(
    'sk_1',
    account,
    'simulated',
  );
  await query(harness.databaseUrl, 'update processor_settings set secret_key = $2 where account_id = $1', [
    account,
    sealed,
  ]);
}
const pay = (account: string, fields: Parameters<typeof startInput>[0] = {}) =>
  harness.requester.request(contract.startPayment, startInput(fields), commandOf(account));
const eventsWith = async (account: string, field: string) =>
  (await harness.publishedOf(account)).map(({ data }) => data).filter((data) => field in data);

test('a key that cannot be opened charges nothing: the buyer may try later, and the seller is notified once a day', async () => {
  const account = newId('account', harness.clock.nowMs());
  await loseKey(account);
  const outcomes = await Promise.all([pay(account), pay(account), pay(account)]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect(await eventsWith(account, 'completedAt')).toMatchObject(Array(3).fill({ status: 'declined' }));
  const [notice] = await eventsWith(account, 'summary');
  expect(notice?.summary).toMatch(/API key of the payment processor cannot be opened.*Store it again in Settings/);
  const { data } = await harness.requester.request(contract.listPayments, {}, commandOf(account));
  expect(data).toHaveLength(3);
  expect(data[0]).toMatchObject({
    status: 'declined',
    reason: 'processor_key_unreadable',
    explanation: expect.stringContaining('Nothing was sent'),
    next: expect.stringContaining('Store the API key again'),
  });
  const arrived = await query(harness.databaseUrl, 'select 1 from simulated_processor.entries where account_id = $1', [
    account,
  ]);
  expect(arrived).toEqual([]);
  harness.clock.advance(24 * 3_600_000);
  await pay(account);
  expect(await eventsWith(account, 'completedAt')).toHaveLength(4);
  expect(await eventsWith(account, 'summary')).toHaveLength(2);
});

test('a rehearsal needs no key, and a key that is stored again is used at once', async () => {
  const account = newId('account', harness.clock.nowMs());
  await loseKey(account);
  expect(await pay(account, { test: true })).toMatchObject({ status: 'succeeded' });
  const orderId = newId('order', harness.clock.nowMs());
  expect(await pay(account, { orderId })).toMatchObject({ status: 'declined', attemptNo: 1 });
  await storeKey(account);
  expect(await pay(account, { orderId, attemptNo: 2 })).toMatchObject({ status: 'succeeded', attemptNo: 2 });
});
