import { createAutomation, revealAutomationSecret, rotateAutomationSecret } from '@app/contracts/automations';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { selfTestWebhook } from '@app/contracts/webhook-tests';
import {
  listWebhookEndpoints,
  revealWebhookSecret,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { signersOf } from './signers.ts';

startService();
sellerForEachTest();

/** Guarantee: where SECRETS_KEY was lost, sellers see their URLs and automations, learn what is wrong, and can mend it. */
test('what is sealed under a lost key is reported, and a rotation and new headers mend it at once', async () => {
  const { account, endpointId, receiver } = seller;
  await seller.put({ headers: { 'x-api-key': 'of the receiver' } });
  const action = { type: 'post', url: `${receiver.url}/automation` } as const;
  const body = { name: 'Mine', event: 'order.paid', action } as const;
  const { id: automationId } = await harness.request(createAutomation, account, { body });
  await harness.running.service.close();
  harness.env.SECRETS_KEY = 'another key of at least thirty-two characters';
  harness.running.service = await harness.start();

  expect((await harness.request(listWebhookEndpoints, account, {})).data).toMatchObject([
    { id: endpointId, headers: [] },
  ]);
  const unreadable = { code: 'invalid_transition', message: expect.stringContaining('rotate') };
  await expect(harness.request(revealWebhookSecret, account, { endpointId })).rejects.toMatchObject(unreadable);
  await expect(harness.request(revealAutomationSecret, account, { automationId })).rejects.toMatchObject(unreadable);
  await expect(harness.request(selfTestWebhook, account, { endpointId })).rejects.toMatchObject(unreadable);
  await seller.publish();
  await seller.tried(2);
  const { data } = await harness.request(listActivity, account, {});
  expect(data).toHaveLength(2);
  for (const { error } of data) expect(error).toMatch(/cannot be read any more.*rotate/);
  expect(receiver.requests).toEqual([]);

  const rotated = await harness.request(rotateWebhookSecret, account, { endpointId });
  const automation = await harness.request(rotateAutomationSecret, account, { automationId });
  // A secret that cannot be read signs nothing, however long its overlap.
  for (const answer of [rotated, automation]) expect(answer.previous_secret_expires_at).toBeNull();
  const headers = { 'x-api-key': 'again' };
  const updated = await harness.request(updateWebhookEndpoint, account, { endpointId, body: { headers } });
  expect(updated.headers).toEqual(['x-api-key']);
  await seller.publish();
  const at = async (path: string) => (await receiver.received(1, (request) => request.path.startsWith(path)))[0];
  const [webhook, run] = [await at('/hook'), await at('/automation')];
  expect(webhook?.headers).toMatchObject(headers);
  expect(signersOf(webhook, { new: rotated.secret })).toEqual(['new']);
  expect(signersOf(run, { new: automation.secret })).toEqual(['new']);
});
