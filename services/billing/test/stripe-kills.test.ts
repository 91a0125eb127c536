import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { continuePayment } from '../src/charging/continue-payment.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { runDailyForAccount } from '../src/daily-run/start-daily-run.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { dailyDepsOf } from './daily-deps.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { seededRandom } from './processors/faulty-processor.ts';
import { expectBooksEqual } from './reconciliation.ts';
import { expectRenewedOnce } from './renewal-invariants.ts';
import { openReplicasOf, replicas } from './set-up.ts';
import { randomRequestFaults } from './stripe/random-request-faults.ts';
import { subscribe } from './subscriptions-of-tests.ts';
import { untilSettled } from './until-settled.ts';

guardLeaks();
openReplicasOf('stripe', '2026-02-01T12:00:00.000Z', { losesRequests: true });

const [kills, renewals] = [volume(4, 50), volume(60, 500)];
const priceCents = 1_900;

const disturb = (seed: number) => replicas.outside.standIn?.disturb(randomRequestFaults(seededRandom(seed)));
const nothingLost = { lost: new Map(), canceledAtEnd: 0, refundedThere: false };

/** @returns what the work returned; undefined where its process was killed */
async function unlessKilled<T>(work: Promise<T>): Promise<T | undefined> {
  return await work.catch((err: unknown) => {
    if (!isDeath(err)) throw err;
    return undefined;
  });
}

const run = ({ deps }: Replica, accountId: string) =>
  runDailyForAccount(dailyDepsOf(deps, dailySteps(deps)), accountId, {
    ...{ runId: newId('dailyRun', replicas.clock.nowMs()), deadlineMs: Number.POSITIVE_INFINITY, force: true },
  });

test(`${kills} kills in ${renewals} renewals, while requests to Stripe get lost: each is charged once, and both books are equal`, {
  timeout: volume(60_000, 30 * minuteMs),
}, async () => {
  const account = newAccount();
  const random = seededRandom(27);
  const sold: { readonly id: string; readonly orderId: string }[] = [];
  const portionMs = 10 * minuteMs;
  const cards = ['sim_ok', 'sim_ok', 'sim_ok', 'sim_ok', 'sim_renewal_declined'];
  // Each kill finds a portion that has just fallen due.
  for (let kill = 0; kill < kills; kill += 1) {
    for (; sold.length < ((kill + 1) * renewals) / kills; ) {
      const card = cards[sold.length % cards.length] as string;
      sold.push(await subscribe(replicas, account, { paymentMethod: replicas.outside.savedCard(card) }));
    }
    replicas.clock.advance(portionMs);
  }
  // The newest payments of the processor are compared from now on.
  await run(replicas.start(), account);
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  disturb(28);
  let midway = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const dying = dyingAt(50 + Math.floor(random() * 60));
    await unlessKilled(run(replicas.start(dying), account));
    expect(dying.dead).toBe(true);
    const open = `select count(*)::int as count from payments where account_id = $1 and finished_at is null`;
    const { rows } = await replicas.database.pool.query<{ count: number }>(open, [account]);
    midway += rows[0]?.count === 0 ? 0 : 1;
    replicas.clock.advance(portionMs);
  }
  // Otherwise the kills met nothing.
  expect(midway).toBeGreaterThan(kills / 2);
  await replicas.outside.deliverLate();
  for (let day = 0; day < 3; day += 1) {
    const replica = replicas.start();
    await run(replica, account);
    replicas.clock.advance(10 * minuteMs);
    await replica.round();
    replicas.clock.advance(dayMs);
  }
  const works = sold.filter((_, index) => cards[index % cards.length] === 'sim_ok');
  const books = await replicas.books(account);
  const taken = books.filter(({ kind, status }) => kind === 'charge' && status === 'succeeded');
  expect(taken.map(({ orderId }) => orderId).toSorted()).toEqual(works.map(({ orderId }) => orderId).toSorted());
  expect(new Set(taken.map(({ amountCents }) => amountCents))).toEqual(new Set([priceCents]));
  for (const one of sold) await expectRenewedOnce(replicas, account, one, priceCents, nothingLost);
  expect(await run(replicas.start(), account)).toMatchObject({ ok: true, problems: [] });
  expect(replicas.errors).toEqual([]);
});

interface Journey {
  readonly hold: StartInput['hold'];
  readonly card: string;
  readonly decision: 'accepted' | 'declined';
}

const hold = { upsell, decisionMinutes: 60 };
/** What checkout requests for a buyer, and a seller later; after a kill it requests the same again. */
const journeys = new Map<string, Journey>([
  ['a charge', { hold: null, card: 'sim_ok', decision: 'declined' }],
  ['a hold whose upsell is bought', { hold, card: 'sim_ok', decision: 'accepted' }],
  ['a hold that the bank wants confirmed', { hold, card: 'sim_requires_action', decision: 'declined' }],
]);

/** Several, so that before, between and after are met in turn. */
const step = volume(7, 1);
const rounds = volume(1, 3);

test.each([...journeys])(
  '%s, killed at each arrow, while requests to Stripe get lost: the money moves once, and both books are equal',
  { timeout: volume(60_000, 30 * minuteMs) },
  async (_, journey) => {
    for (let round = 0; round < rounds; round += 1) {
      let met = 0;
      for (let seam = 1 + round; ; seam += step) {
        await replicas.clear();
        if (!(await go(journey, seam, 1_000 * round + seam))) break;
        met += 1;
      }
      expect(met).toBeGreaterThan(1);
    }
  },
);

/** @returns whether the process was killed before the journey was over */
async function go({ hold, card, decision }: Journey, seam: number, seed: number): Promise<boolean> {
  const account = newAccount();
  const orderId = newId('order', replicas.clock.nowMs());
  const returnUrl = 'https://shop.example/c/shop/course';
  // Confirmed at the bank's page and by Stripe's script in turn.
  const requested = card === 'sim_requires_action' && seam % 2 === 0 ? 'standin_script' : card;
  const paymentMethod = replicas.outside.card(requested);
  const confirmsByScript = requested === 'standin_script';
  const input = startInput({ orderId, hold, returnUrl, paymentMethod, confirmsByScript });
  const caller = { accountId: account, requestId: 'r' };
  const request = async ({ deps }: Replica): Promise<void> => {
    await startPayment(deps, caller, input);
    await replicas.outside.buyersDecide();
    await continuePayment(deps, caller, orderId);
    if (hold !== null) await settleHold(deps, caller, orderId, decision).catch(unlessRefused);
    await refundCharges(deps, caller, orderId).catch(unlessRefused);
  };
  disturb(seed);
  const dying = dyingAt(seam);
  await unlessKilled(request(replicas.start(dying)));
  await unlessKilled(request(replicas.start()));
  await replicas.outside.deliverLate();
  replicas.clock.advance(hourMs);
  const replica = replicas.start();
  await untilSettled(replicas, replica, account, orderId);
  await expectBooksEqual(replicas, account, orderId);
  expect(replicas.errors).toEqual([]);
  return dying.dead;
}

/** What is not known yet cannot be settled or refunded. */
function unlessRefused(err: unknown): void {
  if ((err as { readonly code?: string }).code !== 'invalid_transition') throw err;
}

test('while Stripe limits every request for a minute buyers must try again later, and renewals wait uncounted', async () => {
  const account = newAccount();
  const sold: { readonly id: string; readonly orderId: string }[] = [];
  for (let made = 0; made < 3; made += 1) {
    sold.push(await subscribe(replicas, account, { paymentMethod: replicas.outside.savedCard('sim_ok') }));
  }
  replicas.clock.advance(31 * dayMs);
  replicas.outside.standIn?.disturb(({ method }) => (method === 'POST' ? 'rate_limited' : undefined));
  const orderId = newId('order', replicas.clock.nowMs());
  const attempt = (attemptNo: number) =>
    startPayment(
      replicas.start().deps,
      { accountId: account, requestId: 'r' },
      startInput({ orderId, attemptNo, paymentMethod: replicas.outside.card('sim_ok') }),
    );
  const [paid, limited] = await Promise.all([attempt(1), replicas.start().renew(account)]);
  expect(paid).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect(limited).toMatchObject({ charged: 0, retried: 0, canceled: 0 });
  expect((await replicas.books(account)).filter(({ kind }) => kind === 'charge')).toEqual([]);
  replicas.clock.advance(minuteMs);
  replicas.outside.standIn?.mend();
  expect(await attempt(2)).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  expect(await replicas.start().renew(account)).toMatchObject({ charged: 3, retried: 0 });
  for (const one of sold) await expectRenewedOnce(replicas, account, one, priceCents, nothingLost);
  expect(replicas.errors).toEqual([]);
});
