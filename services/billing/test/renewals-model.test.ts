import { DomainError } from '@app/contracts/errors';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { guardLeaks } from '@app/testing/leak-guard';
import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cancelOfRefundedOrders } from '../src/subscriptions/cancel-refunded.ts';
import { putPaymentMethod } from '../src/subscriptions/put-payment-method.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, type Replicas, startReplicas } from './payment-replicas.ts';
import { expectRenewedOnce } from './renewal-invariants.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

guardLeaks();

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());
beforeEach(() => replicas.clear());

/** Calls that are never answered are among the faults. */
const cards = [
  ...['sim_ok', 'sim_ok', 'sim_ok', 'sim_renewal_declined', 'sim_lost_card', 'sim_renewal_requires_action'],
  ...['sim_renewal_declined', 'sim_error_after', 'no card at all'],
];
const faults = ['throws_before', 'throws_after', 'doubled', 'raced', 'late', 'answer_lost', 'request_lost'] as const;

type Knock = { readonly kind: 'daily' | 'round' } | SellersKnock;
type SellersKnock =
  | { readonly kind: 'pause' | 'resume' | 'cancel' | 'refund'; readonly of: number }
  | { readonly kind: 'card'; readonly of: number; readonly card: string };

/** What happens at one moment: who knocks at which replica at once, what fails, where one is killed, what time passes. */
interface Moment {
  readonly knocks: readonly { readonly knock: Knock; readonly at: 0 | 1 }[];
  readonly faults: readonly (typeof faults)[number][];
  readonly killed: number | null;
  readonly deliverLate: boolean;
  readonly passMs: number;
}

const which = fc.integer({ min: 0, max: 2 });
const knock: fc.Arbitrary<Knock> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('daily' as const, 'daily' as const, 'round' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('pause' as const, 'resume' as const, 'resume' as const),
      of: which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'refund' as const), of: which }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('card' as const), of: which, card: fc.constantFrom(...cards) }),
  },
);
const moment: fc.Arbitrary<Moment> = fc.record({
  knocks: fc.array(fc.record({ knock, at: fc.constantFrom(0 as const, 1 as const) }), { minLength: 1, maxLength: 4 }),
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...faults), { maxLength: 3 }) },
  ),
  killed: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
  ),
  deliverLate: fc.boolean(),
  passMs: fc.constantFrom(0, minuteMs, 5 * minuteMs, hourMs, dayMs, 3 * dayMs, 29 * dayMs, 31 * dayMs),
});
const bought = fc.array(fc.constantFrom(...cards), { minLength: 1, maxLength: 3 });

interface Shop {
  readonly account: string;
  /** By the orders of subscriptions that were canceled while no renewal was under way, what the processor had then. */
  readonly ended: Map<string, number>;
  readonly subscriptions: readonly { readonly id: string; readonly orderId: string }[];
}

test('whatever is due, clicked, lost, doubled, late or killed: each period is charged once at most, and all books and events agree', async () => {
  await fc.assert(
    fc.asyncProperty(bought, fc.array(moment, { minLength: 3, maxLength: 10 }), async (methods, moments) => {
      await replicas.clear();
      replicas.clock.set('2026-01-31T12:00:00.000Z');
      const account = newAccount();
      const subscriptions = [];
      for (const paymentMethod of methods) subscriptions.push(await subscribe(replicas, account, { paymentMethod }));
      replicas.clock.advance(28 * dayMs);
      const shop = { account, subscriptions, ended: new Map<string, number>() };
      const started: Replica[] = [];
      const living: [Replica, Replica] = [startInto(started), startInto(started)];
      for (const each of moments) await live(living, started, shop, each);
      await reconcile(started, shop);
      for (const subscription of subscriptions) await expectRenewedOnce(replicas, account, subscription, 1900);
      for (const [orderId, calls] of shop.ended) expect(await countCalls(account, orderId)).toBe(calls);
      expect(replicas.errors).toEqual([]);
    }),
    { ...randomRuns(6, 400), endOnFailure: true },
  );
});

function startInto(started: Replica[], ...wrap: Parameters<Replicas['start']>): Replica {
  const replica = replicas.start(...wrap);
  started.push(replica);
  return replica;
}

async function live(
  living: [Replica, Replica],
  started: Replica[],
  shop: Shop,
  { knocks, faults: failing, killed, deliverLate, passMs }: Moment,
): Promise<void> {
  if (killed !== null) living[0] = startInto(started, dyingAt(killed));
  living[0].fail(...failing);
  const done = await Promise.allSettled(knocks.map(({ knock: what, at }) => make(living[at], shop, what)));
  for (const outcome of done) if (outcome.status === 'rejected') expectHarmless(outcome.reason);
  if (killed !== null) living[0] = startInto(started);
  // No request is on its way for a day.
  if (deliverLate || passMs >= dayMs) for (const { processor } of started) await processor.deliverLate();
  replicas.clock.advance(passMs);
}

async function make({ deps, round, daily }: Replica, shop: Shop, what: Knock): Promise<unknown> {
  if ('of' in what) return await act(deps, shop, what);
  return await (what.kind === 'daily' ? daily(shop.account) : round());
}

async function act(
  deps: Replica['deps'],
  { account, subscriptions, ended }: Shop,
  what: SellersKnock,
): Promise<unknown> {
  const subscription = subscriptions[what.of];
  if (subscription === undefined) return;
  const context = { accountId: account, requestId: 'r', commandId: newIdSuffix(replicas.clock.nowMs()) };
  const changing = { ...deps, database: replicas.database };
  switch (what.kind) {
    case 'pause':
      return await pauseSubscription(changing, context, subscription.id);
    case 'resume':
      return await resumeSubscription(changing, context, subscription.id);
    case 'cancel': {
      const { renewal_under_way } = await cancelSubscription(changing, context, subscription.id);
      if (!renewal_under_way) ended.set(subscription.orderId, await countCalls(account, subscription.orderId));
      return;
    }
    case 'card':
      return await putPaymentMethod(changing, context, subscription.id, what.card);
    case 'refund':
      return await refund(account, subscription.orderId);
  }
}

/** What the processor has of an order. */
async function countCalls(account: string, orderId: string): Promise<number> {
  return (await replicas.books(account)).filter((entry) => entry.orderId === orderId).length;
}

/** As checkout tells of it. */
async function refund(accountId: string, orderId: string): Promise<void> {
  const now = replicas.clock.now().toISOString();
  const data = { orderId, refundedAt: now } as Parameters<typeof cancelOfRefundedOrders>[1][number]['data'];
  const event = { id: newId('event', 0), accountId, occurredAt: now, requestId: null, traceparent: undefined, data };
  await replicas.database.transaction((client) => cancelOfRefundedOrders(client, [event]));
}

/** A killed process answers nobody, and a canceled subscription refuses what comes too late: nothing else may fail. */
function expectHarmless(err: unknown): void {
  if (isDeath(err) || (err instanceof DomainError && err.code === 'invalid_transition')) return;
  throw err;
}

/** The line works again, and days pass with their daily runs until nothing is left open. */
async function reconcile(started: Replica[], shop: Shop): Promise<void> {
  for (const { processor } of started) await processor.deliverLate();
  const replica = startInto(started);
  for (let day = 0; day < 4 || (day < 12 && !(await isSettled(shop))); day += 1) {
    await replica.daily(shop.account);
    for (const waitMs of [minuteMs, 5 * minuteMs, hourMs, dayMs]) {
      replicas.clock.advance(waitMs);
      await replica.round();
    }
  }
}

async function isSettled({ account, subscriptions }: Shop): Promise<boolean> {
  for (const { id, orderId } of subscriptions) {
    const { payments } = await replicas.money(account, orderId);
    if (payments.some(({ finished_at }) => finished_at === null)) return false;
    const { next_charge_at } = await readSubscription(replicas, id);
    if (next_charge_at !== null && next_charge_at <= replicas.clock.now()) return false;
  }
  return true;
}
