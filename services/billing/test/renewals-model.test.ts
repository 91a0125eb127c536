import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { guardLeaks } from '@app/testing/leak-guard';
import { randomRuns, volume } from '@app/testing/long';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { Backups } from './backups.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, type Replica, type Replicas } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { type Surroundings, surroundings } from './random-moments.ts';
import { expectLostNamed, expectRenewedOnce } from './renewal-invariants.ts';
import { type Act, actedAt, Shop } from './sellers-acts.ts';
import { openReplicasOf, replicas } from './set-up.ts';
import { readSubscription } from './subscriptions-of-tests.ts';

guardLeaks();

/** Calls that are never answered are among the faults. */
const cards = [
  ...['sim_ok', 'sim_ok', 'sim_ok', 'sim_renewal_declined', 'sim_lost_card', 'sim_renewal_requires_action'],
  ...['sim_renewal_declined', 'sim_error_after', 'no card at all'],
];
/** That buyers give later: saved without a charge, which the bank may ask them to confirm. */
const newCards = [
  ...[...cards, 'sim_requires_action', 'sim_action_refused', 'sim_action_ignored'],
  // Their charges in the portal wait for the buyer too.
  ...['sim_always_requires_action', 'sim_renewal_action_refused', 'sim_renewal_action_ignored'],
];

type Work =
  | { readonly kind: 'daily' | 'confirm' | 'round' | 'buy' }
  /** A daily run in which sellers act while renewals wait for their calls, or while they are about to be sent. */
  | { readonly kind: 'queued' | 'claimed'; readonly acts: readonly Act[] };
type Knock = Work | Act;

/** What happens at one moment: who knocks at which replica at once, what fails, where one is killed, what time passes. */
interface Moment extends Surroundings {
  readonly knocks: readonly { readonly knock: Knock; readonly at: 0 | 1 }[];
}

const which = fc.integer({ min: 0, max: 2 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('pause' as const, 'resume' as const, 'resume' as const),
      of: which,
      by: fc.constantFrom('seller' as const, 'buyer' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'refund' as const, 'refund_there' as const),
      of: which,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel_at_end' as const, 'keep' as const), of: which }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('card' as const),
      of: which,
      card: fc.constantFrom(...newCards),
      chargeNow: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('continue_card' as const), of: which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('dispute' as const),
      of: which,
      status: fc.constantFrom('needs_response' as const, 'needs_response' as const, 'won' as const, 'lost' as const),
    }),
  },
);
const knock: fc.Arbitrary<Knock> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('daily' as const, 'daily' as const, 'round' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('buy' as const, 'confirm' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('queued' as const, 'queued' as const, 'claimed' as const),
      acts: fc.array(act, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: act },
);
const moment: fc.Arbitrary<Moment> = fc.record({
  knocks: fc.array(fc.record({ knock, at: fc.constantFrom(0 as const, 1 as const) }), { minLength: 1, maxLength: 4 }),
  ...surroundings({ faults: 3, seam: 30 }, [
    0,
    3_000,
    12_000,
    minuteMs,
    5 * minuteMs,
    hourMs,
    dayMs,
    3 * dayMs,
    29 * dayMs,
    31 * dayMs,
  ]),
});
/** An order of the checkout: its buyer has paid, and it renews on that card. */
const paid = 'paid in the checkout';
const bought = fc.array(fc.constantFrom(...cards, paid, paid, paid), { minLength: 1, maxLength: 3 });

/** A history at Stripe takes seconds, of requests whose answers never come: as many as fit. */
const longestMs = { simulated: Number.POSITIVE_INFINITY, stripe: volume(Number.POSITIVE_INFINITY, 5 * minuteMs) };

describe.each(['simulated', 'stripe'] as const)('%s', (processor) => {
  openReplicasOf(processor, undefined, { losesRequests: true });

  test('whatever is due, clicked, queued, lost, doubled, late, killed or restored: each period is charged once at most, and all books and events agree', {
    timeout: volume(180_000, 3 * hourMs),
  }, async () => {
    const untilMs = performance.now() + longestMs[processor];
    await fc.assert(
      fc.asyncProperty(bought, fc.array(moment, { minLength: 3, maxLength: 10 }), async (methods, moments) => {
        if (performance.now() > untilMs) return;
        await replicas.clear();
        replicas.clock.set('2026-01-31T12:00:00.000Z');
        const shop = new Shop(replicas);
        for (const paymentMethod of methods) await begin(shop, paymentMethod);
        const run = new Processes(shop);
        // From now on the newest payments of the processor are compared.
        await run.start().daily(shop.account);
        replicas.clock.advance(28 * dayMs);
        for (const each of moments) await live(run, each);
        await reconcile(run);
        for (const each of shop.subscriptions)
          await expectRenewedOnce(replicas, shop.account, each, 1900, {
            lost: run.backups.lost,
            canceledAtEnd: shop.canceledAtEnd.get(each.orderId) ?? 0,
            refundedThere: shop.refundedThere.has(each.orderId),
          });
        await expectLostNamed(replicas, shop.account, run.backups.lost);
        await shop.expectKept();
        expect(replicas.errors).toEqual([]);
      }),
      { ...randomRuns(processor === 'stripe' ? 1 : 3, 1_000), endOnFailure: true },
    );
  });
});

async function begin(shop: Shop, paymentMethod: string): Promise<void> {
  if (paymentMethod === paid) await shop.sell();
  else await shop.subscribe(replicas.outside.savedCard(paymentMethod));
}

/** Two replicas; a killed one is replaced, and after a backup was restored all are. */
class Processes {
  readonly shop: Shop;
  readonly backups: Backups;
  readonly started: Replica[] = [];
  living: [Replica, Replica];
  #kept: ReturnType<Shop['kept']> = new Map();

  constructor(shop: Shop) {
    this.shop = shop;
    this.backups = new Backups(replicas, shop.account);
    this.living = [this.start(), this.start()];
  }

  start(...wrap: Parameters<Replicas['start']>): Replica {
    const replica = replicas.start(...wrap);
    this.started.push(replica);
    return replica;
  }

  async deliverLate(): Promise<void> {
    for (const { processor } of this.started) await processor.deliverLate();
    await replicas.outside.deliverLate();
  }

  async back(database: Moment['database']): Promise<void> {
    // What was sent before the outage has arrived when it is over.
    if (database === 'restored') await this.deliverLate();
    if (database === 'copied') this.#kept = this.shop.kept();
    if (!(await this.backups.make(database))) return;
    this.shop.restore(this.#kept);
    this.living = [this.start(), this.start()];
  }
}

async function live(
  run: Processes,
  { knocks, faults: failing, requestFaults, database, killed, deliverLate, passMs }: Moment,
) {
  const { shop } = run;
  await run.back(database);
  if (killed !== null) run.living[0] = run.start(dyingAt(killed));
  run.living[0].fail(...failing);
  replicas.outside.failRequests(requestFaults);
  const acts = knocks.flatMap(({ knock: what }) => ('of' in what ? [what] : 'acts' in what ? what.acts : []));
  const stopped = await claimsOfStopped(
    run,
    knocks.some(({ knock: { kind } }) => kind === 'confirm'),
  );
  const done = await Promise.allSettled(knocks.map(({ knock: what, at }) => make(run, run.living[at], what, acts)));
  for (const outcome of done) if (outcome.status === 'rejected') expectHarmless(outcome.reason);
  await stopped();
  await shop.expectKept();
  if (killed !== null) run.living[0] = run.start();
  // No request is on its way for an hour.
  if (deliverLate || passMs >= hourMs) await run.deliverLate();
  replicas.clock.advance(passMs);
}

async function make(run: Processes, replica: Replica, what: Knock, acts: readonly Act[]): Promise<unknown> {
  return await ('of' in what ? run.shop.act(replica.deps, what, acts) : work(run, replica, what, acts));
}

async function work(run: Processes, replica: Replica, what: Work, acts: readonly Act[]): Promise<unknown> {
  const { shop } = run;
  switch (what.kind) {
    case 'daily':
      return await replica.daily(shop.account);
    case 'confirm':
      return await replica.daily(shop.account, { confirmsUnmatched: true });
    case 'round':
      return await replica.round();
    case 'buy':
      return await startPayment(replica.deps, { accountId: shop.account, requestId: 'r' }, newOrder());
    case 'queued':
    case 'claimed': {
      const act = async () => {
        for (const each of what.acts) await shop.act(replica.deps, each, acts).catch(expectHarmless);
      };
      return await run
        .start(actedAt('renewals-lock-to-claim', what.kind === 'queued' ? 'before' : 'after', act))
        .daily(shop.account);
    }
  }
}

function newOrder() {
  const orderId = newId('order', replicas.clock.nowMs());
  return startInput({ orderId, paymentMethod: replicas.outside.card('sim_ok') });
}

/**
 * While the processor shows a sale that a restored database cannot explain, no renewal is claimed that the processor does not
 * have, until the seller confirms.
 * @returns compares what is claimed then
 */
async function claimsOfStopped(
  { shop: { account }, backups }: Processes,
  confirms: boolean,
): Promise<() => Promise<void>> {
  const sales = confirms ? [] : await backups.lostSales();
  const { rows: confirmed } = await replicas.database.pool.query<{ payment_id: string }>(
    `select payment_id from processor_facts where account_id = $1 and seen_by = 'seller'`,
    [account],
  );
  const isConfirmed = new Set(confirmed.map(({ payment_id }) => payment_id));
  if (sales.every(({ paymentId }) => isConfirmed.has(paymentId))) return async () => undefined;
  const claimed = async () =>
    (
      await replicas.database.pool.query<{ id: string }>(
        `select id from payments where account_id = $1 and step = 'renewal'`,
        [account],
      )
    ).rows.map(({ id }) => id);
  const known = new Set([...(await claimed()), ...(await replicas.books(account)).map(({ paymentId }) => paymentId)]);
  return async () => expect((await claimed()).filter((id) => !known.has(id))).toEqual([]);
}

const refusals = new Set(['invalid_transition', 'card_declined', 'not_allowed_by_seller']);

/** A killed process sends no answer, a canceled subscription refuses what comes too late, a card may be refused, and a buyer does not undo the seller's pause: nothing else may fail. */
function expectHarmless(err: unknown): void {
  if (isDeath(err)) return;
  if (err instanceof DomainError && refusals.has(err.code)) return;
  throw err;
}

/** The line works again, and days pass with their daily runs until nothing is left open; at the end the seller confirms. */
async function reconcile(run: Processes): Promise<void> {
  const { shop } = run;
  await run.deliverLate();
  const replica = run.start();
  await shop.endDisputes(replica.deps);
  for (let day = 0; day < 4 || (day < 12 && !(await isSettled(shop))); day += 1) {
    const stopped = await claimsOfStopped(run, day > 0);
    await replica.daily(shop.account, { confirmsUnmatched: day > 0 });
    await stopped();
    for (const waitMs of [minuteMs, 5 * minuteMs, hourMs, dayMs]) {
      replicas.clock.advance(waitMs);
      await replica.round();
    }
  }
}

async function isSettled({ account, subscriptions }: Shop): Promise<boolean> {
  for (const { id, orderId } of subscriptions) {
    const { payments } = await replicas.money(account, orderId);
    if (payments.some(({ finishedAt }) => finishedAt === null)) return false;
    const { next_charge_at } = await readSubscription(replicas, id);
    if (next_charge_at !== null && next_charge_at <= replicas.clock.now()) return false;
  }
  return true;
}
