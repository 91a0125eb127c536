import { randomUUID } from 'node:crypto';
import { buyersDecide } from '@app/billing/stripe-buyers';
import type { StripeEvent } from '@app/billing/stripe-objects';
import { signedEvent } from '@app/billing/stripe-sent-events';
import type { StripeFault } from '@app/billing/stripe-stand-in';
import { call } from '../support/seller.ts';
import { again, type Run } from './run.ts';
import type { Shop, StripeKeys, World } from './world.ts';

const loud: readonly StripeFault[] = [
  ...(['rate_limited', 'broken_before', 'broken_after', 'error_after', 'html_after', 'doubled'] as const),
];
/** What ends with the deadline alone is rarer, because it takes so long. */
const all: readonly StripeFault[] = [...loud, ...loud, ...loud, 'silent_before', 'silent_after', 'late'];

/** What Stripe does by itself: its network fails now and then, banks ask buyers, events are sent. */
export async function runStripe(run: Run, world: World): Promise<void> {
  const random = run.random.fork();
  world.stripe.disturb(({ method }) =>
    random.chance(method === 'POST' ? 0.08 : 0.02) ? random.oneOf(method === 'POST' ? all : loud) : undefined,
  );
  const shops = world.shops.flatMap(({ stripe, seller }) => (stripe === undefined ? [] : [{ stripe, seller }]));
  const banks = again(run, async () => {
    for (const { stripe } of shops) {
      // Some come back from their bank late, or never.
      await buyersDecide(world.stripe, world.stripe.booksOf(stripe.secretKey), () => random.chance(0.5));
    }
    await run.pause(500);
    if (random.chance(0.2)) await world.stripe.deliverLate();
  });
  const events = shops.map((shop) => sendEvents(run, world, shop));
  await Promise.all([banks, ...events]);
}

/** The network works again; what was on its way arrives, and buyers at their banks come back. */
export async function calmStripe({ stripe, shops }: World): Promise<void> {
  stripe.mend();
  await stripe.deliverLate();
  for (const { stripe: keys } of shops) if (keys) await buyersDecide(stripe, stripe.booksOf(keys.secretKey));
}

type AtStripe = Pick<Shop, 'seller'> & { readonly stripe: StripeKeys };

/** At the latest Stripe gives up after three days; here after so many attempts. */
const attemptsMax = 20;

/** Signed for each attempt, some twice, in no order, and some never: the platform finds by itself what they were about. */
async function sendEvents(run: Run, world: World, shop: AtStripe): Promise<void> {
  const random = run.random.fork();
  const queue: { readonly event: StripeEvent; attempts: number }[] = [];
  const sendOne = async (): Promise<void> => {
    const [next] = queue.splice(random.below(Math.min(queue.length, 5)), 1);
    if (next === undefined) return;
    next.attempts += 1;
    if (await isTaken(world, shop, next.event)) return run.count(`events of Stripe: ${next.event.type}`);
    if (next.attempts === attemptsMax) return run.count('events of Stripe: given up');
    queue.push(next);
    await run.pause(300);
  };
  let read = 0;
  await again(run, async () => {
    await run.pause(200 + random.below(400));
    const events = world.stripe.booksOf(shop.stripe.secretKey).all<StripeEvent>('event');
    for (const event of events.slice(read)) {
      if (random.chance(0.1)) run.count('events of Stripe: lost');
      else queue.push(...[{ event, attempts: 0 }, ...(random.chance(0.1) ? [{ event, attempts: 0 }] : [])]);
    }
    read = events.length;
    while (queue.length > 0 && !run.ending.aborted) await sendOne();
  });
}

async function isTaken({ cluster, later }: World, { seller, stripe }: AtStripe, event: StripeEvent): Promise<boolean> {
  const signing = { secrets: [stripe.webhookSecret], atMs: later.nowMs() };
  const { body, signature } = signedEvent(event, signing);
  const path = `/api/processors/stripe/${seller.accountId}`;
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature, 'x-request-id': randomUUID() };
  const options = { body: body.toString('utf8'), headers };
  return await call(cluster.baseUrl, 'POST', path, options).then(
    ({ status }) => status === 200,
    () => false,
  );
}
