import { newIdSuffix } from '@app/contracts/ids';
import type { RunningService } from '@app/service-kit/service';
import { guardLeaks } from '@app/testing/leak-guard';
import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CheckoutHarness,
  createCheckoutHarness,
  type Opened,
  plainCourse,
  withUpsell,
} from './checkout-harness.ts';
import type { MadeAttempt } from './stand-in-payments.ts';

guardLeaks();

let harness: CheckoutHarness;
let service: RunningService;

beforeAll(async () => {
  harness = await createCheckoutHarness();
  service = await harness.base.start();
});

afterAll(() => harness.close());

/** What buyers may read when clicks meet: a clear question or a clear refusal. */
const allowedCodes = ['price_changed', 'invalid_transition', 'rate_limited', 'service_unavailable', 'order_not_found'];
const card = fc.constantFrom('declined', 'unknown', 'declined', 'action', 'ok', 'no-upsell', 'lost');
const end = fc.constantFrom('succeeded' as const, 'declined' as const);
const refundStatus = fc.constantFrom('refunded' as const, 'processing' as const);
/** Most of it is clicks on pay: what comes between them is what the test is about. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pay' as const), card }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pay again' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose the next answer' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), bump: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('price' as const), cents: fc.constantFrom(9_900, 12_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('decide' as const), accept: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('timer' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('found out' as const), end }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('report' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), status: refundStatus }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refund fails' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
/** A step that is not waited for meets the next ones. */
const steps = fc.array(fc.record({ step, wait: fc.boolean() }), { minLength: 6, maxLength: 16 });

interface Run {
  readonly opened: Opened;
  readonly upsell: boolean;
  lastCommand: { commandId: string; card: string } | undefined;
}

const attemptsOf = async ({ opened }: Run): Promise<MadeAttempt[]> => {
  const [row] = await harness.query<{ order_id: string | null }>(
    `select order_id from checkouts where id = '${opened.id}'`,
  );
  return harness.billing.attempts.filter(({ input }) => input.orderId === row?.order_id);
};
const orderOf = async (run: Run) => (await attemptsOf(run))[0]?.input.orderId;
const isHeld = (made: MadeAttempt | undefined) => made?.outcome.status === 'held';

async function notifyAttempts(run: Run): Promise<void> {
  for (const made of await attemptsOf(run)) {
    if (made.outcome.status === 'processing' || made.outcome.status === 'requires_action') continue;
    await harness.billing.publishCompleted(made);
  }
}

async function letTimerDecide(run: Run): Promise<void> {
  const made = (await attemptsOf(run)).at(-1);
  if (made === undefined || !isHeld(made)) return;
  harness.billing.settle(made.input.orderId, 'not_decided');
  await harness.billing.publishSettled(made.input.orderId);
}

async function take(run: Run, next: Step): Promise<void> {
  const { opened } = run;
  switch (next.kind) {
    case 'pay':
      run.lastCommand = { commandId: newIdSuffix(Date.now()), card: next.card };
      await harness.pay(opened, next.card, { commandId: run.lastCommand.commandId });
      break;
    case 'pay again':
      if (run.lastCommand !== undefined) await harness.pay(opened, run.lastCommand.card, run.lastCommand);
      break;
    case 'lose the next answer':
      loseNextAnswer();
      break;
    case 'resume':
      await harness.resume(opened);
      break;
    case 'change':
      await harness.update(opened, { bumpIds: next.bump ? ['bmp_1'] : [] });
      break;
    case 'price':
      harness.shop.set('acc_1/course', { ...(run.upsell ? withUpsell : plainCourse), priceCents: next.cents });
      break;
    case 'decide':
      await harness.decide(opened, next.accept);
      break;
    case 'timer':
      await letTimerDecide(run);
      break;
    case 'found out':
      await findOut(run, next.end);
      break;
    case 'report':
      await notifyAttempts(run);
      break;
    case 'refund':
      harness.billing.refundStatus = next.status;
      await refund(run);
      break;
    case 'refund fails':
      await failRefund(run);
      break;
    case 'restart':
      await service.close();
      harness.base.clock.advance(121_000);
      service = await harness.base.start();
  }
}

async function findOut(run: Run, end: 'succeeded' | 'declined'): Promise<void> {
  const made = (await attemptsOf(run)).at(-1);
  if (made?.outcome.status === 'processing') harness.billing.finish(made.input.orderId, end);
  await notifyAttempts(run);
}

async function refund(run: Run): Promise<void> {
  const orderId = await orderOf(run);
  if (orderId !== undefined) await harness.refund(orderId);
}

async function failRefund(run: Run): Promise<void> {
  const orderId = await orderOf(run);
  if (orderId === undefined || !harness.billing.refundRequests.some((request) => request.orderId === orderId)) return;
  await harness.billing.publishRefundFailed(orderId);
}

/** What billing did is done; its answer does not arrive. */
function loseNextAnswer(): void {
  const lose = async (): Promise<void> => {
    harness.billing.beforeAnswer = async () => undefined;
    harness.billing.beforeSettled = async () => undefined;
    throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });
  };
  harness.billing.beforeAnswer = lose;
  harness.billing.beforeSettled = lose;
}

/** Billing finds out what it does not know yet, settles what is held, and reports everything twice. */
async function deliverEverything(run: Run): Promise<void> {
  const last = (await attemptsOf(run)).at(-1);
  const waits = last?.outcome.status === 'processing' || last?.outcome.status === 'requires_action';
  if (last !== undefined && waits) harness.billing.finish(last.input.orderId, 'succeeded');
  for (let time = 0; time < 2; time++) {
    await letTimerDecide(run);
    await notifyAttempts(run);
  }
  await harness.billing.handled();
}

interface End {
  readonly status: string;
  readonly order_status: string | null;
  readonly total_cents: number | null;
  readonly paid: number;
  readonly accepted: number;
  readonly refunded: number;
  readonly reopened: number;
  readonly orders: number;
}

const counted = (event: string, as: string) => `(select count(*)::int from outbox as e
  where e.subject = 'evt.checkout.${event}.v1' and e.payload::json -> 'data' ->> 'orderId' = c.order_id) as ${as}`;

/** Money and order agree, and each change of state was reported once. */
async function expectAgreement(run: Run): Promise<void> {
  const [end] = await harness.query<End>(`select c.status, o.status as order_status, o.total_cents::int,
      (select count(*)::int from orders where id = c.order_id) as orders,
      ${counted('order.paid', 'paid')}, ${counted('upsell.accepted', 'accepted')},
      ${counted('order.refunded', 'refunded')}, ${counted('order.reopened', 'reopened')}
    from checkouts as c left join orders as o on o.id = c.order_id where c.id = '${run.opened.id}'`);
  const attempts = await attemptsOf(run);
  const won = attempts.filter(({ outcome }) => outcome.status === 'succeeded' || outcome.status === 'held');
  expect(won.length).toBeLessThanOrEqual(1);
  const [success] = won;
  const reported = { paid: end?.paid, accepted: end?.accepted, orders: end?.orders };
  if (success === undefined) {
    expect(reported).toEqual({ paid: 0, accepted: 0, orders: 0 });
    return;
  }
  const hold = isHeld(success) ? harness.billing.settle(success.input.orderId, 'not_decided') : undefined;
  if (hold?.status === 'lost') {
    expect(reported).toEqual({ paid: 0, accepted: 0, orders: 1 });
    expect([end?.status, end?.order_status]).toEqual(['expired', 'expired']);
    return;
  }
  const upsellCents = hold?.upsell?.amountCents ?? 0;
  expect(reported).toEqual({ paid: 1, accepted: upsellCents > 0 ? 1 : 0, orders: 1 });
  expect(end?.total_cents).toBe(success.outcome.amountCents + upsellCents);
  expect(end?.status).toBe(end?.order_status);
  expect((end?.refunded ?? 0) - (end?.reopened ?? 0)).toBe(end?.order_status === 'refunded' ? 1 : 0);
}

const discounted = `select count(*)::int as n from orders where discount_id is not null and status <> 'expired'`;

async function expectUsesOfOrders(): Promise<void> {
  const [orders] = await harness.query<{ n: number }>(discounted);
  const [uses] = await harness.query<{ n: number }>('select coalesce(sum(uses), 0)::int as n from discount_uses');
  expect(uses).toEqual(orders);
}

test('whatever two tabs, billing, its events and restarts do: one charge, one order, each event once', async () => {
  const property = fc.asyncProperty(fc.boolean(), fc.boolean(), steps, async (upsell, discount, taken) => {
    harness.billing.refundStatus = 'refunded';
    harness.shop.set('acc_1/course', upsell ? withUpsell : plainCourse);
    const opened = await harness.open({ email: 'ada@example.com', ...(discount ? { discountCode: 'ALWAYS' } : {}) });
    const run: Run = { opened, upsell, lastCommand: undefined };
    const underWay: Promise<unknown>[] = [];
    for (const { step: next, wait } of taken) {
      const done = take(run, next).catch((err: { code?: string }) => {
        if (!allowedCodes.includes(err.code ?? '')) throw err;
      });
      underWay.push(done);
      if (wait || next.kind === 'restart') await Promise.all(underWay.splice(0));
    }
    await Promise.all(underWay);
    await deliverEverything(run);
    await expectAgreement(run);
    await expectUsesOfOrders();
  });
  await fc.assert(property, { ...randomRuns(12, 400), endOnFailure: true });
});
