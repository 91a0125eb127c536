/**
 * Puts `order.paid` events of many accounts on checkout's stream, as its relay does: at a fixed rate, or as fast as the
 * stream takes them. In its own process, started by publish-events.ts, which sends the plan.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { connectNats } from '@app/messaging/connect';
import { type PaidOrder, paidOrder } from '@app/testing/paid-order';
// biome-ignore lint/style/noRestrictedImports: the producer's outbox and relay are not what is measured.
import { headers } from '@nats-io/transport-node';
import type { Published, PublishPlan } from './publish-events.ts';

/** Events whose acknowledgement is waited for at the same time, when there is no rate. */
const windowMax = 256;
const ackWithinMs = 10_000;

process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
const [plan] = (await once(process, 'message')) as [PublishPlan];
const nats = await connectNats({
  url: plan.natsUrl,
  service: 'checkout',
  user: 'checkout',
  password: plan.natsPassword,
});

const published: Published['events'] = [];

async function publish(number: number): Promise<void> {
  const nowMs = performance.timeOrigin + performance.now();
  const id = newId('event', nowMs);
  const accountId = plan.accountIds[number % plan.accountIds.length] ?? '';
  const event = { id, accountId, occurredAt: new Date(nowMs).toISOString(), data: orderOf(nowMs, number) };
  const about = headers();
  about.append('Nats-Msg-Id', id);
  if (plan.perSecond !== null) published.push([id, accountId, nowMs]);
  await nats.connection.request(orderPaid.subject, JSON.stringify(event), { timeout: ackWithinMs, headers: about });
}

const orderOf = (nowMs: number, number: number): PaidOrder =>
  paidOrder(nowMs, {
    productName: 'The Course',
    customerEmail: `buyer-${number}@example.com`,
    country: 'DE',
    totalCents: 6_800,
    items: [
      { kind: 'main', label: 'The Course', amountCents: 4_900 },
      { kind: 'bump', label: 'The Workbook', amountCents: 1_900 },
    ],
    accessUrl: 'https://example.com/access/course',
    supportEmail: 'support@example.com',
  });

async function publishAll(): Promise<void> {
  let next = 0;
  const publishOn = async (): Promise<void> => {
    while (next < plan.count) await publish(next++);
  };
  await Promise.all(Array.from({ length: windowMax }, publishOn));
}

async function publishPaced(perSecond: number): Promise<void> {
  const acknowledged: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let number = 0; number < plan.count; number++) {
    const dueMs = startedMs + (number * 1_000) / perSecond - performance.now();
    if (dueMs > 0) await sleep(dueMs);
    acknowledged.push(publish(number));
  }
  await Promise.all(acknowledged);
}

await (plan.perSecond === null ? publishAll() : publishPaced(plan.perSecond));
await nats.close();
process.send?.({ events: published } satisfies Published);
