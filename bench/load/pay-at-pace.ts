import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure/statistics.ts';
import type { Shop } from '../platform/start-platform.ts';

export interface BuyersRun {
  readonly paid: number;
  readonly failed: number;
  /** How often a payment that failed was answered so. */
  readonly answers: Record<string, number>;
  /** From `POST …/pay` to its answer, in milliseconds. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
}

let buyers = 0;

/**
 * Open loop: a buyer opens a checkout and pays at every tick of a fixed schedule, until the work has ended. Each gives a new
 * confirmation token.
 */
export async function payAtPace(shop: Shop, perSecond: number, work: Promise<unknown>): Promise<BuyersRun> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  const payments: Promise<Payment>[] = [];
  const startedMs = performance.now();
  while (!ended) {
    payments.push(pay(shop).catch((err: unknown) => ({ ms: undefined, answer: String(err) })));
    await sleep(Math.max(0, startedMs + (payments.length * 1_000) / perSecond - performance.now()));
  }
  const made = await Promise.all(payments);
  const times = made.flatMap(({ ms }) => ms ?? []);
  const failed = made.filter(({ ms }) => ms === undefined);
  const answers = [...Map.groupBy(failed, ({ answer }) => answer)].map(([answer, { length }]) => [answer, length]);
  return {
    paid: times.length,
    failed: failed.length,
    answers: Object.fromEntries(answers),
    p50Ms: percentile(times, 50),
    p95Ms: percentile(times, 95),
    longestMs: Math.max(...times),
  };
}

interface Payment {
  /** How long the answer took; undefined where it was not paid. */
  readonly ms: number | undefined;
  readonly answer: string;
}

async function pay({ checkoutUrl, handle, productSlug: slug }: Shop): Promise<Payment> {
  const buyer = ++buyers;
  const email = `stripe-${process.pid}-${buyer}@example.com`;
  const opened = await post(checkoutUrl, {}, { handle, slug, email, name: 'Ada Lovelace', country: 'DE' });
  const startedMs = performance.now();
  const secret = { 'x-checkout-secret': opened.secret ?? '' };
  const paymentMethod = `ctoken_card_visa--${buyer}`;
  const paid = await post(`${checkoutUrl}/${opened.id}/pay`, secret, { paymentMethod });
  const ms = paid.status === 'paid' ? performance.now() - startedMs : undefined;
  return { ms, answer: `${paid.status} ${paid.reason ?? paid.code ?? ''}` };
}

interface Answer {
  readonly id?: string;
  readonly secret?: string;
  readonly status?: string | number;
  readonly reason?: string | null;
  /** Of a problem. */
  readonly code?: string;
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<Answer> {
  const json = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(body) });
  return (await response.json()) as Answer;
}
