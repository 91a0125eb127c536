import { createAutomation, getAutomation, listAutomations, previewAutomation } from '@app/contracts/automations';
import { listActivity, listDeliveries } from '@app/contracts/webhook-deliveries';
import { createWebhookEndpoint, endpointOff, putWebhookEndpoint, readWebhookEndpoint } from '@app/contracts/webhooks';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { beforeEach, expect, test, vi } from 'vitest';
import { storeNotice, writeNoticeAutomation } from '../src/automations/store-notice.ts';
import { attempted, judged } from './harness.ts';
import { headerOf } from './mail-seller.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';

startMailService();
vi.setConfig({ testTimeout: 60_000 });
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver({ respond: () => ({ status: 410 }) });
});

const notices = async () => {
  const { data } = await harness.request(listActivity, seller.account, { status: 'notice' });
  return data.map(({ summary }) => summary);
};

test('a URL that is switched off is notified by email, once, in the words of Recent activity', async () => {
  const { id: endpointId } = await harness.request(createWebhookEndpoint, seller.account, {
    body: { url: receiver.url },
  });
  await seller.sell();
  await judged(endpointId);
  expect(await harness.request(readWebhookEndpoint, seller.account, { endpointId })).toMatchObject({
    switched_off: { reason: 'gone' },
  });
  harness.wake();
  // The POST, the receipt, the notice of the sale, and this one.
  await seller.tried(4);
  const emails = server.received.filter(({ text }) => text.includes('answered 410'));
  expect(emails).toHaveLength(1);
  expect(headerOf(emails[0]?.text ?? '', 'To')).toContain('help@maya.example');
  expect(await notices()).toEqual([expect.stringContaining(`${receiver.url} was switched off: it answered 410`)]);
});

test('the notice of an endpoint that is off is found by its name, and its email can be previewed', async () => {
  const { id: endpointId } = await harness.request(createWebhookEndpoint, seller.account, {
    body: { url: receiver.url },
  });
  await seller.sell();
  const event = 'endpoint.off';
  await judged(endpointId);
  harness.wake();
  await seller.tried(4);
  expect((await harness.request(listDeliveries, seller.account, { event })).data).toMatchObject([{ event }]);
  expect((await harness.request(listActivity, seller.account, { event })).data).toMatchObject([{ event }]);
  const { data } = await harness.request(listAutomations, seller.account, {});
  const { action } = data.find((one) => one.event === event) ?? expect.fail('no such automation');
  const account = { businessName: 'Maya', supportEmail: 'help@maya.example' };
  const previewed = harness.request(previewAutomation, seller.account, {
    body: { event, action: action as never },
    account,
  });
  expect(await previewed).toMatchObject({ to: 'help@maya.example', text: expect.stringContaining('switched off') });
});

test('an automation whose URL is gone is switched off, and named as what it is', async () => {
  const action = { type: 'post', url: receiver.url } as const;
  const made = await harness.request(createAutomation, seller.account, {
    body: { name: 'Course access', event: 'order.paid', action },
  });
  await seller.sell();
  await judged(made.id);
  expect(await harness.request(getAutomation, seller.account, { automationId: made.id })).toMatchObject({
    active: false,
  });
  expect((await seller.runs()).filter(({ endpoint_id }) => endpoint_id === made.id)).toMatchObject([
    { status: 'canceled', reason: 'discarded', attempts: 1 },
  ]);
  expect(await notices()).toEqual([
    expect.stringMatching(/^The automation "Course access" at .* it answered 410.*It runs for nothing until it is on/),
  ]);
});

test('a URL that takes nothing is notified by one email after a day, and by one when it is switched off after five', async () => {
  receiver.respondWith(() => ({ status: 500 }));
  const { id: endpointId } = await harness.request(putWebhookEndpoint, seller.account, { body: { url: receiver.url } });
  for (let n = 0; n < 3; n += 1) await seller.sell();
  const { port } = new URL(receiver.url);
  const plain = ({ text }: { text: string }) => text.replaceAll('=\r\n', '');
  const emailsOf = async (count: number) =>
    (await server.receivedEmails(count, (email) => plain(email).includes(`:${port}`))).map(plain);
  for (let round = 1; round <= 6; round += 1) {
    await attempted({ endpointId }, 3 * round);
    // Its seller is notified after the record, and by then more attempts may have failed.
    if (round === 2) {
      await judged(endpointId, 'warned');
      harness.wake();
      await emailsOf(1);
    }
    harness.clock.advance(30 * 3_600_000);
    harness.wake();
  }
  await judged(endpointId, 'failing');
  harness.wake();
  expect(await emailsOf(2)).toEqual([
    expect.stringMatching(/Nothing has reached the webhook endpoint .* all [56] attempts failed/),
    expect.stringMatching(/The webhook endpoint .* was switched off: all 2[01] attempts/),
  ]);
  // Each email was recorded: six receipts and notices of sales, and these two.
  await attempted({ accountId: seller.account, delivered: true }, 8);
  expect(server.received.filter((email) => plain(email).includes(`:${port}`))).toHaveLength(2);
});

test('it goes with the other emails, and not after them as tests do', async () => {
  const { account: accountId } = seller;
  const { clock, partitions } = harness;
  const [stored] = await harness.transaction(async (client) => {
    const deps = { clock, partitions, emailsAvailable: true };
    await writeNoticeAutomation(deps, client, accountId);
    const about = { endpointId: 'whe_1', url: receiver.url, reason: 'failing', summary: 'It is off' };
    const payload = { event: endpointOff, ...about, sentAt: clock.now().toISOString() } as const;
    await storeNotice(deps, client, { accountId, builtIn: 'endpoint_off_notice', payload });
    return (await client.query('select priority from deliveries where account_id = $1', [accountId])).rows;
  });
  expect(stored).toEqual({ priority: 1 });
});
