import { randomUUID } from 'node:crypto';
import { timePasses } from '@app/testing/time-passes';
import { type Answer, call } from '../support/seller.ts';
import type { Answers, BuyersRecord } from './answers.ts';
import { drawCard } from './cards.ts';
import type { Random } from './random.ts';
import type { Run } from './run.ts';
import type { Product, Shop, World } from './world.ts';

/** One buyer with a browser. */
interface Visit {
  readonly run: Run;
  readonly random: Random;
  readonly shop: Shop;
  readonly record: BuyersRecord;
  /** Sends the checkout's secret along. */
  send(path: string, body: unknown): Promise<Answer>;
}

/** Begins so many buyers a second until the run ends, and waits for all of them. */
export async function sendBuyers(run: Run, world: World, answers: Answers, perSecond: number): Promise<void> {
  const random = run.random.fork();
  const buyers: Promise<void>[] = [];
  for (let number = 1; !run.ending.aborted; number++) {
    buyers.push(buy(run, { world, answers, number }, random.fork()).catch(run.fail));
    await run.pause(1_000 / perSecond);
  }
  await Promise.all(buyers);
}

interface Buyer {
  readonly world: World;
  readonly answers: Answers;
  readonly number: number;
}

async function buy(run: Run, { world, answers, number }: Buyer, random: Random): Promise<void> {
  const shopNumber = random.below(world.shops.length);
  const shop = world.shops[shopNumber] as Shop;
  const { baseUrl } = world.cluster;
  const body = wishOf(shop, random, number);
  const opened = await run.answered('open', () => call(baseUrl, 'POST', '/api/checkout', { body }));
  if (opened.status !== 200) return;
  const { id: checkoutId, secret } = opened.json;
  const record: BuyersRecord = {
    ...{ shop: shopNumber, checkoutId, secret, last: undefined, paid: undefined, decided: false },
    history: [],
  };
  answers.buyers.push(record);
  const headers = { 'x-checkout-secret': secret };
  const send: Visit['send'] = async (path, sent) => {
    // A repeated request has the key of the first: its outcome is that one's.
    const idempotent = { ...headers, 'idempotency-key': randomUUID() };
    const answer = await run.answered(path, () =>
      call(baseUrl, 'POST', `/api/checkout/${checkoutId}/${path}`, { body: sent, headers: idempotent }),
    );
    const { status, orderId, code } = answer.json;
    record.history.push(`${path} ${JSON.stringify(sent)}: ${answer.status} ${status} ${code ?? ''} ${orderId ?? ''}`);
    return answer;
  };
  const visit = { run, random, shop, record, send };
  // Many only come to see.
  if (random.chance(0.05)) return;
  await payUntilDecided(visit);
  run.count(`buyers: ${record.last?.status ?? 'refused'}`);
}

/** Some buyers come again, also for what they have bought. */
function wishOf(shop: Shop, random: Random, number: number): object {
  const product = random.oneOf(shop.products) as Product;
  const email = random.chance(0.1) ? `regular-${random.below(20)}@example.com` : `buyer-${number}@example.com`;
  const isDiscounted = product.id === shop.discount.productId && random.chance(0.3);
  return {
    ...{ handle: shop.handle, slug: product.slug, email, name: 'Robin Buyer', country: 'DE' },
    ...(random.chance(0.4) ? { bumpIds: product.bumpIds } : {}),
    ...(isDiscounted ? { discountCode: shop.discount.code } : {}),
    ...(random.chance(0.3) ? { affiliateCode: random.chance(0.9) ? shop.affiliate.code : 'unknown' } : {}),
  };
}

const attemptsMax = 4;

/** Pays, with other cards after declines, and decides on the upsell; or leaves half-way. */
async function payUntilDecided(visit: Visit): Promise<void> {
  const { random, run } = visit;
  for (let attempts = 0; attempts < attemptsMax && !run.ending.aborted; attempts++) {
    await payOnce(visit);
    await followUp(visit);
    const { last } = visit.record;
    if (last?.status === 'authorized') return await decide(visit);
    if (last === undefined || ['paid', 'refunded', 'expired'].includes(last.status)) return;
    if (random.chance(0.4)) return;
  }
}

async function payOnce(visit: Visit): Promise<void> {
  const { random, shop } = visit;
  const body = { paymentMethod: drawCard(random, shop) };
  if (random.chance(0.08)) {
    // Two tabs, or two clicks.
    const other = random.chance(0.5) ? body : { paymentMethod: drawCard(random, shop) };
    return await sideBySide(visit, [() => visit.send('pay', body), () => visit.send('pay', other)]);
  }
  const answer = await visit.send('pay', body);
  if (answer.json?.code === 'already_bought' && random.chance(0.7))
    return await alone(visit, () => visit.send('pay', { ...body, confirmRepeat: true }));
  // The buyer sees the new total and goes on.
  if (answer.json?.code === 'price_changed') return await alone(visit, () => visit.send('pay', body));
  note(visit.record, answer);
}

const followUpsMax = 12;

/** Until the payment has an end, or the buyer leaves: some come back when hours have passed. */
async function followUp(visit: Visit): Promise<void> {
  const { random, shop, record } = visit;
  for (let times = 0; times < followUpsMax; times++) {
    const status = record.last?.status;
    if (status !== 'processing' && status !== 'requires_action') return;
    if (random.chance(0.08)) return;
    // Also after the end of the run: a buyer who waits wants to know.
    await timePasses(random.chance(0.15) ? 6_000 : 700);
    if (status === 'requires_action' && random.chance(0.4)) {
      const other = { paymentMethod: drawCard(random, shop) };
      await sideBySide(visit, [() => visit.send('continue', {}), () => visit.send('pay', other)]);
    } else await alone(visit, () => visit.send('continue', {}));
  }
}

async function decide(visit: Visit): Promise<void> {
  const { random, run } = visit;
  if (random.chance(0.25)) return;
  if (random.chance(0.2)) await run.pause(8_000);
  const accept = random.chance(0.6);
  visit.record.decided = true;
  if (random.chance(0.15))
    await sideBySide(visit, [
      () => visit.send('upsell', { accept }),
      () => visit.send('upsell', { accept: random.chance(0.5) }),
    ]);
  else await alone(visit, () => visit.send('upsell', { accept }));
  await followUpOnDecision(visit, accept);
}

/** A decision that is under way is sent again: the first one counts. */
async function followUpOnDecision(visit: Visit, accept: boolean): Promise<void> {
  for (let times = 0; times < followUpsMax && visit.record.last?.status === 'processing'; times++) {
    await timePasses(700);
    await alone(visit, () => visit.send('upsell', { accept }));
  }
}

const alone = async (visit: Visit, send: () => Promise<Answer>): Promise<void> => note(visit.record, await send());

/** Of two requests at once it is unknown whose answer is the newer one, so the buyer reads once more. */
async function sideBySide(visit: Visit, sends: readonly (() => Promise<Answer>)[]): Promise<void> {
  for (const answer of await Promise.all(sends.map((send) => send()))) notePaid(visit.record, answer);
  visit.record.last = undefined;
  await alone(visit, () => visit.send('continue', {}));
}

function note(record: BuyersRecord, answer: Answer): void {
  // A refusal says that this request did nothing; what was answered before stands.
  if (answer.status !== 200) return;
  const { status, orderId, totalCents } = answer.json;
  record.last = { status, orderId, totalCents };
  notePaid(record, answer);
}

function notePaid(record: BuyersRecord, { status: code, json }: Answer): void {
  if (code !== 200 || json.status !== 'paid') return;
  record.paid = { status: 'paid', orderId: json.orderId, totalCents: json.totalCents };
}
