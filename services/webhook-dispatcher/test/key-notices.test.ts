import { updateAutomation } from '@app/contracts/automations';
import { dailyRunNoticed } from '@app/contracts/daily-runs';
import { paymentNoticed } from '@app/contracts/payments';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { expect, test } from 'vitest';
import { builtInId } from '../src/automations/automation-row.ts';
import { handled } from './harness.ts';
import { headerOf } from './mail-seller.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';

startMailService();

const summary = 'The payment processor does not accept your account’s API key.';
const subjects = () => server.received.map(({ text }) => headerOf(text.replaceAll(/\r\n[ \t]/g, ' '), 'Subject'));
const orderId = 'ord_01kahv7w3xe5m8q2r6t9y0b4cd';
const ofPayment = (code?: 'key_refused', changes: { test?: true; lacksPermission?: true } = {}) =>
  harness.publish(paymentNoticed, seller.account, { orderId, summary, test: false, ...(code && { code }), ...changes });
const ofRun = (code: 'key_refused' | 'overdue', changes: { lacksPermission?: true } = {}) =>
  harness.publish(dailyRunNoticed, seller.account, { code, summary, orderId: null, test: false, ...changes });

test.each([
  ['a payment', () => ofPayment('key_refused'), () => ofPayment()],
  ['a daily run', () => ofRun('key_refused'), () => ofRun('overdue')],
] as const)(
  'of %s whose API key was refused the seller gets an email, and of another notice none',
  async (_, refused, other) => {
    await other();
    await refused();
    harness.wake();
    await seller.tried(1);
    expect(subjects()).toEqual(['Your shop takes no payments: the API key is refused']);
    expect(server.received[0]?.to).toBe('help@maya.example');
  },
);

test.each([
  ['a payment', () => ofPayment('key_refused', { lacksPermission: true })],
  ['a daily run', () => ofRun('key_refused', { lacksPermission: true })],
] as const)(
  'of %s whose API key lacks a permission the email says that, and not that it is refused',
  async (_, lacks) => {
    await lacks();
    harness.wake();
    await seller.tried(1);
    expect(subjects()).toEqual(['Your API key at the payment processor lacks a permission']);
  },
);

test('of a refused API key for test mode there is a notice in Recent activity, and no email: no buyer is kept from paying', async () => {
  await handled(await ofPayment('key_refused', { test: true }));
  await ofPayment('key_refused');
  harness.wake();
  await seller.tried(1);
  expect(subjects()).toEqual(['Your shop takes no payments: the API key is refused']);
  expect((await seller.runs()).length).toBe(1);
  const { data } = await harness.request(listActivity, seller.account, { status: 'notice' });
  expect(data.map((notice) => notice.summary)).toEqual([summary, summary]);
});

test('a seller who has switched these notices off gets none', async () => {
  const automationId = builtInId(seller.account, 'key_refused_notice');
  await harness.request(updateAutomation, seller.account, { automationId, body: { active: false } });
  await handled(await ofPayment('key_refused'));
  await seller.sell();
  await seller.tried(2);
  expect(subjects().filter((subject) => subject.includes('API key'))).toEqual([]);
});
