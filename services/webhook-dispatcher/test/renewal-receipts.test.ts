import { listAutomations, updateAutomation } from '@app/contracts/automations';
import { newId } from '@app/contracts/ids';
import { subscriptionRebilled } from '@app/contracts/subscriptions';
import { expect, test } from 'vitest';
import { RenewalReceipts } from '../src/db/migrations/0007-renewal-receipts.ts';
import { handled } from './harness.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';
import { eventTime, soldSubscription } from './orders.ts';

startMailService();

const receiptOf = async (account: string) =>
  (await harness.request(listAutomations, account, {})).data.find(({ built_in }) => built_in === 'renewal_receipt') ??
  expect.fail('no receipt of renewals');
const migrate = () =>
  harness.database.pool.connect().then(async (client) => {
    await new RenewalReceipts(client).run();
    client.release();
  });
const renew = () =>
  harness.publish(subscriptionRebilled, seller.account, {
    ...soldSubscription,
    ...{ paymentId: 'pmt_1', period: 2, attempt: 1, statusBefore: 'active', statusAfter: 'active' },
    ...{ periodStart: eventTime, periodEnd: '2026-02-15T11:00:00.000Z', chargedAt: eventTime, affiliateNamed: false },
  });

test('a new account’s buyers get a receipt for each renewal', async () => {
  expect(await receiptOf(seller.account)).toMatchObject({ active: true, switched_off: null });
  await renew();
  await seller.tried(1);
  expect(server.received).toMatchObject([{ to: soldSubscription.customerEmail }]);
  expect(server.received[0]?.text).toContain('was renewed');
});

test('an account that was there before sends none until its seller switches it on; one that comes later does', async () => {
  await migrate();
  const { id, ...offered } = await receiptOf(seller.account);
  expect(offered).toMatchObject({ active: false, switched_off: null });
  await handled(await renew());
  expect(await seller.runs()).toEqual([]);
  await migrate();
  await harness.request(updateAutomation, seller.account, { automationId: id, body: { active: true } });
  await renew();
  await seller.tried(1);
  expect(server.received).toHaveLength(1);
  expect(await receiptOf(newId('account', harness.clock.nowMs()))).toMatchObject({ active: true });
});
