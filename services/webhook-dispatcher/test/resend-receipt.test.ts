import { listAutomations, resendReceipt, updateAutomation } from '@app/contracts/automations';
import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { stored } from './harness.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';

startMailService();

const again = (orderId: string, body = {}, account = seller.account) =>
  harness.request(resendReceipt, account, { orderId, body });
const built = async (key: string) =>
  (await harness.request(listAutomations, seller.account, {})).data.find(({ built_in }) => built_in === key) ??
  expect.fail(key);
const switchOff = async (key: string) =>
  harness.request(updateAutomation, seller.account, { automationId: (await built(key)).id, body: { active: false } });

/** An order that the service has; the receipt of the first has gone out. */
async function sold(fields: object = {}): Promise<string> {
  const orderId = newId('order', harness.clock.nowMs());
  await switchOff('sale_notice');
  await stored(await seller.sell({ orderId, customerEmail: 'bob@exmaple.com', ...fields }));
  await seller.tried(1);
  return orderId;
}
const bodyOf = (text = '') => text.slice(text.indexOf('\r\n\r\n')).replaceAll(/--+[\w-]+/g, '');

test('the receipt goes out again as it was, to the buyer or to a corrected address', async () => {
  const orderId = await sold();
  expect(await again(orderId)).toMatchObject({ event: 'order.paid', endpoint_id: (await built('receipt')).id });
  await again(orderId, { email: 'bob@example.com' });
  await seller.tried(3);
  const [first, ...others] = server.received;
  expect(server.received.map(({ to }) => to).toSorted()).toEqual([
    'bob@example.com',
    'bob@exmaple.com',
    'bob@exmaple.com',
  ]);
  for (const other of others) expect(bodyOf(other.text)).toBe(bodyOf(first?.text));
});

test('an order’s receipt goes out again five times in 24 hours, also to many addresses and all at once', async () => {
  const orderId = await sold();
  const sendings = Array.from({ length: 8 }, (_, n) => again(orderId, { email: `bob${n}@example.com` }));
  const outcomes = await Promise.allSettled(sendings);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit_reached' });
  await seller.tried(6);
  harness.clock.advance(25 * 60 * 60_000);
  await again(orderId);
  await seller.tried(7);
});

test('what is sent again counts for the ten of a kind to an address a day, also where money was taken', async () => {
  const orders = [];
  for (const customerEmail of Array(3).fill('eve@example.com')) orders.push(await sold({ customerEmail }));
  for (const orderId of orders) for (let n = 0; n < 4; n += 1) await again(orderId);
  await seller.tried(3 + 12);
  expect(server.received).toHaveLength(3 + 10);
  expect((await seller.activity()).filter(({ error }) => error?.includes('10 emails of one kind'))).toHaveLength(2);
});

test('another account’s order, an unknown one and one that never was are unknown alike', async () => {
  const orderId = await sold();
  const other = newId('account', harness.clock.nowMs());
  for (const [id, account] of [
    [orderId, other],
    [newId('order', 0), seller.account],
    ['ord_1', seller.account],
  ] as const)
    await expect(again(id, {}, account)).rejects.toMatchObject({ code: 'order_not_found' });
});

test('no receipt is sent again while receipts are off, nor by an account whose address is not verified', async () => {
  const orderId = await sold();
  await seller.change({ emailVerified: false, email: 'maya@own.example' });
  await again(orderId);
  await seller.tried(2);
  expect(server.received).toHaveLength(1);
  await switchOff('receipt');
  await expect(again(orderId)).rejects.toMatchObject({ code: 'invalid_transition' });
});

test('the receipt of a test order goes to the account’s own address, whatever address is named', async () => {
  const orderId = await sold({ test: true });
  await again(orderId, { email: 'stranger@example.com' });
  await seller.tried(2);
  expect(server.received.map(({ to }) => to)).not.toContain('stranger@example.com');
  expect(server.received).toHaveLength(2);
});
