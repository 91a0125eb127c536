/**
 * Open loop: posts an order at every tick of a fixed schedule, whether or not the earlier ones are answered, so that
 * a slow answer delays no other and hides nothing. In its own process. Started by send-paced.ts, which sends the plan.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PacedOrder, PacedPlan } from './send-paced.ts';

async function post(plan: PacedPlan, number: number): Promise<PacedOrder | undefined> {
  const { productSlug, bumpId } = plan.sale;
  const email = `paced-${process.pid}-${number}@example.com`;
  const sentMs = Date.now();
  const response = await fetch(plan.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${plan.apiKey}` },
    body: JSON.stringify({ productSlug, email, name: 'Ada Lovelace', bumpIds: [bumpId], country: 'DE' }),
  });
  const answeredMs = Date.now();
  const { orderId } = (await response.json()) as { orderId: string };
  return response.status === 200 ? { orderId, sentMs, answeredMs } : undefined;
}

process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
const [plan] = (await once(process, 'message')) as [PacedPlan];
const answers: Promise<PacedOrder | undefined>[] = [];
const started = performance.now();
for (let number = 0; number < plan.perSecond * plan.seconds; number++) {
  const dueMs = (number * 1000) / plan.perSecond - (performance.now() - started);
  if (dueMs > 0) await sleep(dueMs);
  answers.push(post(plan, number).catch(() => undefined));
}
const orders = (await Promise.all(answers)).filter((order) => order !== undefined);
process.send?.({ orders, failed: answers.length - orders.length });
