import { createAutomation } from '@app/contracts/automations';
import { listDeliveries } from '@app/contracts/webhook-deliveries';
import { createWebhookEndpoint } from '@app/contracts/webhooks';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { attempted, stored } from './harness.ts';
import { allDeliveries, connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

const perSecond = 5;
const burst = 5 * perSecond;
startService({ WEBHOOKS_PER_SECOND: String(perSecond) });

/** Twelve endpoints and twelve automations of an account, all at the receiver. */
async function amplify(receiver: Receiver) {
  const seller = await connectedAccount(harness, receiver);
  for (let n = 0; n < 11; n += 1) {
    const url = `${receiver.url}/${n}`;
    await harness.request(createWebhookEndpoint, seller.account, { body: { url } });
  }
  for (let n = 0; n < 12; n += 1) {
    const action = { type: 'post', url: `${receiver.url}/automation/${n}` } as const;
    await harness.request(createAutomation, seller.account, {
      body: { name: `Own ${n}`, event: 'order.paid', action },
    });
  }
  return seller;
}

test('an account sends a host no more than the rate over all endpoints and automations; nothing is lost, others do not wait', async () => {
  const victim = await startReceiver();
  const amplifier = await amplify(victim);
  const calm = await connectedAccount(harness, victim);
  victim.forget();
  const startedMs = performance.now();
  const orders = 20;
  const eventIds = await Promise.all(Array.from({ length: orders }, () => amplifier.publish()));
  const events = await Promise.all(eventIds.map((eventId) => stored(eventId)));
  await calm.publish();
  await calm.delivered();
  await attempted({ accountId: amplifier.account }, burst + 2 * perSecond);
  const ofCalm = new Set(
    (
      await harness.query<{ event_id: string }>(`select event_id from ${allDeliveries} where account_id = $1`, [
        calm.account,
      ])
    ).map((row) => row.event_id),
  );
  const arrived = victim.requests.filter(({ headers }) => !ofCalm.has(String(headers['webhook-id']))).length;
  expect(arrived).toBeLessThanOrEqual(burst + ((performance.now() - startedMs) / 1_000) * perSecond);

  const why = `Is queued: an account sends at most ${perSecond} deliveries a second to one host`;
  const isExplained = async (): Promise<boolean> => {
    // Each round writes for five seconds what the deliveries wait for.
    await harness.afterRound('deliveries');
    const { data } = await harness.request(listDeliveries, amplifier.account, { status: 'pending' });
    return data.some(({ reason }) => reason.startsWith(why));
  };
  let explained = await isExplained();
  for (let round = 0; round < 10 && !explained; round += 1) explained = await isExplained();
  expect(explained).toBe(true);

  // Without the bound all the others go out: each delivery arrives once.
  await harness.running.service.close();
  harness.running.service = await harness.start({ WEBHOOKS_PER_SECOND: '0' });
  const deliveryIds = events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
  expect(deliveryIds).toHaveLength(orders * 24);
  await attempted({ accountId: amplifier.account, delivered: true }, deliveryIds.length);
  expect(new Set(await amplifier.statuses())).toEqual(new Set(['delivered']));
  const of = victim.requests.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  expect(new Set(of).size).toBe(of.length);
});

test('many accounts together send a host that has acknowledged nothing no more than one of them, each its part, until it acknowledges', async () => {
  const victim = await startReceiver({ respond: () => ({ status: 403 }) });
  const accounts = await Promise.all(Array.from({ length: 20 }, () => connectedAccount(harness, victim)));
  await harness.running.service.close();
  harness.running.service = await harness.start();
  const startedMs = performance.now();
  const orders = 5;
  const published = accounts.flatMap(({ publish }) => Array.from({ length: orders }, () => publish()));
  await Promise.all((await Promise.all(published)).map((eventId) => stored(eventId)));
  const atMost = (): number => burst + ((performance.now() - startedMs) / 1_000) * perSecond;
  const hooks = (): number => victim.requests.length;
  await victim.received(burst + 3 * perSecond);
  expect(hooks()).toBeLessThanOrEqual(atMost());
  await Promise.all(accounts.map(({ tried }) => tried(1)));
  expect(hooks()).toBeLessThanOrEqual(atMost());
  const [acknowledgedMs, before] = [performance.now(), hooks()];
  victim.respondWith(() => ({ status: 200 }));
  await victim.received(accounts.length * orders);
  // The burst was used up by then.
  const atItsRate = ((performance.now() - acknowledgedMs) / 1_000) * perSecond;
  expect(hooks() - before).toBeGreaterThan(perSecond + atItsRate);
});
