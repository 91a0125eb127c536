import { createAutomation, getAutomation, listAutomations, previewAutomation } from '@app/contracts/automations';
import { listActivity, listDeliveries } from '@app/contracts/webhook-deliveries';
import { createWebhookEndpoint, putWebhookEndpoint, readWebhookEndpoint } from '@app/contracts/webhooks';
import { eventually } from '@app/testing/eventually';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { storeEndpointNotice, writeNoticeAutomation } from '../src/automations/store-endpoint-notice.ts';
import { type Harness, startHarness } from './harness.ts';
import { headerOf, type MailServer, mailSeller, mailSettings } from './mail-seller.ts';

guardLeaks();
vi.setConfig({ testTimeout: 60_000 });
let server: MailServer;
let harness: Harness;
let receiver: Receiver;
let seller: Awaited<ReturnType<typeof mailSeller>>;
beforeAll(async () => {
  server = await startSmtpServer();
  harness = await startHarness(mailSettings(server));
});
beforeEach(async () => {
  receiver = await startReceiver({ respond: () => ({ status: 410 }) });
  seller = await mailSeller(harness);
});
afterAll(async () => {
  await harness.close();
  await server.close();
});

const notices = async () => {
  const { data } = await harness.ask(listActivity, seller.account, { status: 'notice' });
  return data.map(({ summary }) => summary);
};

test('a URL that is switched off is told of by email, once, in the words of Recent activity', async () => {
  const { id: endpointId } = await harness.ask(createWebhookEndpoint, seller.account, { body: { url: receiver.url } });
  await seller.sell();
  await eventually(async () =>
    expect(await harness.ask(readWebhookEndpoint, seller.account, { endpointId })).toMatchObject({
      switched_off: { reason: 'gone' },
    }),
  );
  const told = () => server.received.filter(({ text }) => text.includes('answered 410'));
  await eventually(() => expect(told()).toHaveLength(1));
  expect(headerOf(told()[0]?.text ?? '', 'To')).toContain('help@maya.example');
  expect(await notices()).toEqual([expect.stringContaining(`${receiver.url} was switched off: it answered 410`)]);
});

test('what tells of an endpoint that is off is found by its name, and its email can be previewed', async () => {
  await harness.ask(createWebhookEndpoint, seller.account, { body: { url: receiver.url } });
  await seller.sell();
  const event = 'endpoint.off';
  await eventually(async () =>
    expect((await harness.ask(listDeliveries, seller.account, { event })).data).toMatchObject([{ event }]),
  );
  await eventually(async () =>
    expect((await harness.ask(listActivity, seller.account, { event })).data).toMatchObject([{ event }]),
  );
  const { data } = await harness.ask(listAutomations, seller.account, {});
  const { action } = data.find((one) => one.event === event) ?? expect.fail('no such automation');
  const account = { businessName: 'Maya', supportEmail: 'help@maya.example' };
  const previewed = harness.ask(previewAutomation, seller.account, {
    body: { event, action: action as never },
    account,
  });
  expect(await previewed).toMatchObject({ to: 'help@maya.example', text: expect.stringContaining('switched off') });
});

test('an automation whose URL is gone is switched off, and told of as what it is', async () => {
  const action = { type: 'post', url: receiver.url } as const;
  const made = await harness.ask(createAutomation, seller.account, {
    body: { name: 'Course access', event: 'order.paid', action },
  });
  await seller.sell();
  await eventually(async () =>
    expect(await harness.ask(getAutomation, seller.account, { automationId: made.id })).toMatchObject({
      active: false,
    }),
  );
  await eventually(async () =>
    expect((await seller.runs()).filter(({ endpoint_id }) => endpoint_id === made.id)).toMatchObject([
      { status: 'canceled', reason: 'discarded', attempts: 1 },
    ]),
  );
  expect(await notices()).toEqual([
    expect.stringMatching(/^The automation "Course access" at .* it answered 410.*It runs for nothing until it is on/),
  ]);
});

test('a URL that takes nothing is told of by one email after a day, and by one when it is switched off after five', async () => {
  receiver.respondWith(() => ({ status: 500 }));
  const connect = () => harness.ask(putWebhookEndpoint, seller.account, { body: { url: receiver.url } });
  const { id: endpointId } = await connect();
  for (let n = 0; n < 3; n += 1) await seller.sell();
  const attempts = () => harness.query('select from attempts where endpoint_id = $1', [endpointId]);
  const { port } = new URL(receiver.url);
  const told = () =>
    server.received.map(({ text }) => text.replaceAll('=\r\n', '')).filter((text) => text.includes(`:${port}`));
  for (let round = 1; round <= 6; round += 1) {
    await eventually(async () => expect(await attempts()).toHaveLength(3 * round));
    // Its seller is told after the record, and by then more tries may have failed.
    if (round === 2) await eventually(() => expect(told()).toHaveLength(1));
    // A PUT makes the dispatcher look for what is due.
    harness.clock.advance(30 * 3_600_000);
    await connect();
  }
  await eventually(() =>
    expect(told()).toEqual([
      expect.stringMatching(/Nothing has reached the webhook endpoint .* all [56] tries failed/),
      expect.stringMatching(/The webhook endpoint .* was switched off: all 2[01] tries/),
    ]),
  );
});

test('it goes with the other emails, and not behind them as tests do', async () => {
  const { account: accountId } = seller;
  const { clock, partitions } = harness;
  const [stored] = await harness.transaction(async (client) => {
    const deps = { clock, partitions, emailsAvailable: true };
    await writeNoticeAutomation(deps, client, accountId);
    const about = { endpointId: 'whe_1', url: receiver.url, reason: 'failing', summary: 'It is off' };
    await storeEndpointNotice(deps, client, { accountId, ...about, at: clock.now() });
    return (await client.query('select priority from deliveries where account_id = $1', [accountId])).rows;
  });
  expect(stored).toEqual({ priority: 1 });
});
