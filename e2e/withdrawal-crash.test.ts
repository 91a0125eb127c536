import { withdrawalRequested } from '@app/contracts/withdrawals';
import { letterAttempted } from '@app/gateway/points';
import { leadingBegan } from '@app/messaging/points';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { cluster, receiver, seller, shortLeases, startOwnCluster } from './support/own-cluster.ts';
import { addProduct, call, placeOrder } from './support/seller.ts';

/**
 * Guarantee: a withdrawal that was acknowledged is in the list once, at the receiver and in both letters, also when every process that
 * could have published its event is killed with -9 between its row and the publication.
 */
startOwnCluster(() => ({ settings: shortLeases, apart: ['checkout'] }));

test('a withdrawal whose event is not published when checkout is killed is published by the next start', {
  timeout: 240_000,
}, async () => {
  const { slug } = await addProduct(seller);
  const email = `${crypto.randomUUID()}@example.com`;
  const orderId = await placeOrder(seller, { productSlug: slug, email });
  const endpoint = { url: `${receiver.url}/hook`, events: ['withdrawal.requested'] };
  expect((await seller.call('PUT', '/api/v1/webhook-endpoint', { body: endpoint })).status).toBe(200);
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;

  // The leader publishes alone: while it stands still, what the other one commits is published by nobody.
  await announced(leadingBegan, ({ service }) => service === 'checkout');
  const [publishes, answers] = [cluster.process('checkout'), await cluster.spawn('checkout')];
  process.kill(publishes.pid, 'SIGSTOP');
  const confirm = () =>
    call(cluster.baseUrl, 'POST', '/api/withdrawals/confirm', {
      headers: { 'idempotency-key': 'the-one-click' },
      body: { handle, name: 'Ada', bought: orderId, email },
    });
  let answer = await confirm();
  // One that the frozen replica got is repeated under its key, as a browser does.
  for (let attempts = 1; answer.status !== 200 && attempts < 20; attempts += 1) answer = await confirm();
  expect(answer).toMatchObject({ status: 200, json: { email } });
  const waiting = () =>
    query<{ stream_seq: string | null }>(
      cluster.databaseUrl('checkout'),
      `select stream_seq from outbox where subject = '${withdrawalRequested.subject}'`,
    );
  expect(await waiting()).toEqual([{ stream_seq: null }]);
  await Promise.all([publishes.kill('SIGKILL'), answers.kill('SIGKILL')]);
  expect(await waiting()).toEqual([{ stream_seq: null }]);
  await publishes.restart();

  for (const [to, kind] of [
    [email, 'withdrawal_received_notice'],
    [seller.email, 'withdrawal_seller_notice'],
  ] as const)
    await announced(letterAttempted, (letter) => letter.to === to && letter.kind === kind);
  const [sent] = await receiver.received(1, ({ body }) => body.includes('withdrawal.requested'));
  expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({ orderId, email });
  // The repeat of the click finds what was done.
  expect((await confirm()).json).toEqual(answer.json);
  expect((await seller.call('GET', '/api/v1/withdrawals')).json.data).toMatchObject([
    { email, order: { id: orderId }, requested_at: answer.json.receivedAt },
  ]);
});
