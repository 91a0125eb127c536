import fc from 'fast-check';
import * as facts from '../src/facts/fact.rules.ts';
import * as samples from './samples.ts';

/** How an event of each kind is made, and which fact the service makes of it. */
const kinds = {
  orderPaid: { event: samples.orderEvent, fact: facts.factOfOrder },
  orderRefunded: { event: samples.refundEvent, fact: facts.factOfRefund },
  orderReopened: { event: samples.reopeningEvent, fact: facts.factOfReopening },
  paymentRefunded: { event: samples.paymentRefundEvent, fact: facts.factOfPaymentRefund },
  paymentReopened: { event: samples.paymentReopeningEvent, fact: facts.factOfPaymentReopening },
  checkoutVisited: { event: samples.visitEvent, fact: facts.factOfVisit },
  started: { event: samples.subscriptionEvent, fact: facts.factOfSubscription },
  rebilled: { event: samples.renewalEvent, fact: facts.factOfRenewal },
  paymentFailed: { event: samples.failedPaymentEvent, fact: facts.factOfFailedPayment },
  paused: { event: samples.pauseEvent, fact: facts.factOfPause },
  resumed: { event: samples.resumptionEvent, fact: facts.factOfResumption },
  canceled: { event: samples.cancellationEvent, fact: facts.factOfCancellation },
} as const;
type Kinds = typeof kinds;

/** An event as its producer published it. */
export type RawEvent = { [K in keyof Kinds]: { kind: K } & ReturnType<Kinds[K]['event']> }[keyof Kinds];

export const factOf = ({ kind, ...event }: RawEvent): facts.Fact => kinds[kind].fact(event as never);

export const accounts = ['acc_a', 'acc_b'];
export const products = ['prd_1', 'prd_2'];

/** Where months and days change, in a leap year and in another, and days like any other. */
const times: fc.Arbitrary<number> = fc
  .oneof(
    fc.constantFrom(
      '2024-02-28T23:59:59.999Z',
      '2024-02-29T00:00:00.000Z',
      '2024-02-29T23:59:59.999Z',
      '2024-03-01T00:00:00.000Z',
      '2024-12-31T23:59:59.999Z',
      '2025-01-01T00:00:00.000Z',
      '2025-01-31T23:59:59.999Z',
      '2025-02-28T23:59:59.999Z',
      '2025-03-01T00:00:00.000Z',
    ),
    fc.date({ min: new Date('2024-01-15'), max: new Date('2025-04-30'), noInvalidDate: true }),
  )
  .map((at) => new Date(at).getTime());

const iso = (ms: number): string => new Date(ms).toISOString();
const cents = fc.integer({ min: 0, max: 9_999_999_999 });
const seldom = fc.nat(4).map((roll) => roll === 0);
const fields = {
  account: fc.constantFrom(...accounts),
  product: fc.constantFrom(...products),
  test: seldom,
  at: times,
};

const visits: fc.Arbitrary<RawEvent[]> = fc
  .record(fields)
  .map(({ account, product, test, at }) => [
    { kind: 'checkoutVisited', ...samples.visitEvent(account, product, { visitedAt: iso(at), test }) },
  ]);

/** An order and its refunds; each refund but the last failed afterwards, and the last too if `lastFails`. */
const orders: fc.Arbitrary<RawEvent[]> = fc
  .record({
    ...fields,
    totalCents: cents,
    email: fc.constantFrom(
      'ann@x.io',
      'Ann@x.io',
      'bob@x.io',
      'BOB@X.IO',
      'ünal@x.io',
      'Ünal@x.io',
      'bob@ü.io',
      'Bob@xn--tda.io',
    ),
    bump: fc.boolean(),
    upsell: fc.constantFrom('none', 'shown', 'bought'),
    source: fc.constantFrom('api', 'checkout'),
    refunds: fc.nat(3),
    lastFails: fc.boolean(),
    gapDays: fc.nat(40),
  })
  .map(({ account, product, test, at, totalCents, email, bump, upsell, source, refunds, lastFails, gapDays }) => {
    const items = [
      { kind: 'main', label: 'm', amountCents: totalCents } as const,
      ...(bump ? [{ kind: 'bump', label: 'b', amountCents: 0 } as const] : []),
      ...(upsell === 'bought' ? [{ kind: 'upsell', label: 'u', amountCents: 0 } as const] : []),
    ];
    const shown = upsell === 'shown' ? { upsellShown: true } : {};
    const paid = { totalCents, items, customerEmail: email, test, paidAt: iso(at), source, ...shown } as const;
    const order = samples.orderEvent(account, product, paid);
    const events: RawEvent[] = [{ kind: 'orderPaid', ...order }];
    const about = { orderId: order.data.orderId, totalCents, test };
    for (let refundNo = 1; refundNo <= refunds; refundNo++) {
      const refundedAt = iso(at + refundNo * gapDays * 86_400_000);
      events.push({
        kind: 'orderRefunded',
        ...samples.refundEvent(account, product, { ...about, refundNo, refundedAt }),
      });
      if (refundNo === refunds && !lastFails) continue;
      events.push({
        kind: 'orderReopened',
        ...samples.reopeningEvent(account, product, { ...about, refundNo, reopenedAt: refundedAt }),
      });
    }
    return events;
  });

/** What may befall the payments of an order of 1,000: the two of its own, of 600 and 400, and a renewal of 300. */
const refundSteps = fc.array(
  fc.record({
    of: fc.constantFrom('first', 'second', 'renewal'),
    cents: fc.constantFrom(100, 200, 600),
    fails: seldom,
  }),
  { maxLength: 8 },
);
const takenBy = { first: 600, second: 400, renewal: 300 };

/** An order whose payments go back in parts; some refunds fail afterwards, and the next step begins without them. */
const partlyRefunded: fc.Arbitrary<RawEvent[]> = fc
  .record({ ...fields, refundSteps })
  .map(({ account, product, test, at, refundSteps: steps }) => {
    const paid = { totalCents: 1000, test, paidAt: iso(at), source: 'checkout' as const };
    const order = samples.orderEvent(account, product, paid);
    const { orderId } = order.data;
    const events: RawEvent[] = [{ kind: 'orderPaid', ...order }];
    const left = { ...takenBy };
    const back = () => 1300 - left.first - left.second - left.renewal;
    let refundNo = 1;
    for (const [index, { of, cents: wanted, fails }] of steps.entries()) {
      const amountCents = Math.min(wanted, left[of]);
      if (amountCents === 0) continue;
      const about = { orderId, test, refundId: `${orderId}/${index}`, amountCents };
      const isFirst = back() === 0;
      const wasWhole = left.first + left.second === 0;
      left[of] -= amountCents;
      events.push({ kind: 'paymentRefunded', ...samples.paymentRefundEvent(account, product, { ...about, isFirst }) });
      const isWhole = !wasWhole && left.first + left.second === 0;
      const ofOrder = { orderId, test, totalCents: 1000, refundNo };
      const none = { orders: 0, cents: 0 };
      if (isWhole)
        events.push({ kind: 'orderRefunded', ...samples.refundEvent(account, product, { ...ofOrder, counted: none }) });
      if (!fails) continue;
      left[of] += amountCents;
      const gone = back() === 0;
      const wasLast = gone && !isWhole;
      events.push({
        kind: 'paymentReopened',
        ...samples.paymentReopeningEvent(account, product, { ...about, wasLast }),
      });
      if (!isWhole) continue;
      const counted = { orders: gone ? 1 : 0, cents: 0 };
      events.push({ kind: 'orderReopened', ...samples.reopeningEvent(account, product, { ...ofOrder, counted }) });
      refundNo += 1;
    }
    return events;
  });

type Step = { readonly action: keyof typeof actions; readonly gapMs: number };
type Status = 'active' | 'past_due' | 'paused' | 'canceled';

/** What may befall a subscription, and after how long: also a month's end later, or the next millisecond. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    action: fc.constantFrom<Step['action']>('pay', 'fail', 'fail', 'pause', 'resume', 'cancel'),
    gapMs: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 45 * 86_400_000 })),
  }),
  { maxLength: 14 },
);

/** A subscription while its life is made up. */
interface Life {
  readonly account: string;
  readonly product: string;
  readonly about: Pick<Terms, 'subscriptionId' | 'amountCents' | 'billingInterval' | 'test'>;
  status: Status;
  period: number;
  failed: number;
}
type Terms = ReturnType<typeof samples.subscriptionEvent>['data'];
type Living = Exclude<Status, 'canceled'>;

/** A paused one's charge was under way when it was paused: the answer is recorded, the state stays. */
function pay(life: Life, statusBefore: Living, when: string): RawEvent[] {
  const statusAfter = statusBefore === 'paused' ? 'paused' : 'active';
  life.status = statusAfter;
  life.failed = 0;
  life.period += 1;
  const renewal = { ...life.about, statusBefore, statusAfter, period: life.period, chargedAt: when } as const;
  return [{ kind: 'rebilled', ...samples.renewalEvent(life.account, life.product, renewal) }];
}

function fail(life: Life, statusBefore: Living, when: string): RawEvent[] {
  life.failed += 1;
  const { account, product, about, failed: attempt } = life;
  const isLast = attempt === 4 && statusBefore !== 'paused';
  const statusAfter = statusBefore === 'paused' ? 'paused' : isLast ? 'canceled' : 'past_due';
  life.status = statusAfter;
  const tried = { ...about, statusBefore, statusAfter, attempt, failedAt: when } as const;
  const failure = { kind: 'paymentFailed' as const, ...samples.failedPaymentEvent(account, product, tried) };
  return isLast ? [failure, ...cancel(life, statusBefore, when)] : [failure];
}

function pause(life: Life, statusBefore: Living, when: string): RawEvent[] {
  if (statusBefore === 'paused') return [];
  life.status = 'paused';
  const paused = { ...life.about, statusBefore, pausedAt: when };
  return [{ kind: 'paused', ...samples.pauseEvent(life.account, life.product, paused) }];
}

function resume(life: Life, statusBefore: Living, when: string): RawEvent[] {
  if (statusBefore !== 'paused') return [];
  const statusAfter = life.failed > 0 ? ('past_due' as const) : ('active' as const);
  life.status = statusAfter;
  const resumed = { ...life.about, statusAfter, resumedAt: when };
  return [{ kind: 'resumed', ...samples.resumptionEvent(life.account, life.product, resumed) }];
}

function cancel(life: Life, statusBefore: Living, when: string): RawEvent[] {
  life.status = 'canceled';
  const canceled = { ...life.about, statusBefore, canceledAt: when };
  return [{ kind: 'canceled', ...samples.cancellationEvent(life.account, life.product, canceled) }];
}

const actions = { pay, fail, pause, resume, cancel };

/** A subscription's life: it follows the states of the API, and each event names the states before and after it. */
const subscriptions: fc.Arbitrary<RawEvent[]> = fc
  .record({ ...fields, amountCents: cents, yearly: fc.boolean(), steps })
  .map(({ account, product, test, at, amountCents, yearly, steps }) => {
    const terms = { amountCents, billingInterval: yearly ? ('year' as const) : ('month' as const), test };
    const started = samples.subscriptionEvent(account, product, { ...terms, startedAt: iso(at) });
    const about = { ...terms, subscriptionId: started.data.subscriptionId };
    const life: Life = { account, product, about, status: 'active', period: 1, failed: 0 };
    const events: RawEvent[] = [{ kind: 'started', ...started }];
    let atMs = at;
    for (const { action, gapMs } of steps) {
      atMs += gapMs;
      if (life.status !== 'canceled') events.push(...actions[action](life, life.status, iso(atMs)));
    }
    return events;
  });

/** Everything that happened to a few orders, subscriptions and checkouts, as raw events in no order that means anything. */
export const histories: fc.Arbitrary<RawEvent[]> = fc
  .array(fc.oneof(orders, orders, partlyRefunded, subscriptions, subscriptions, visits), { maxLength: 20 })
  .map((lives) => lives.flat());

/** The history as consumers get it: every event once to three times, shuffled. */
export const arrivalsOf = (history: readonly RawEvent[]): fc.Arbitrary<RawEvent[]> =>
  fc
    .array(fc.array(fc.integer(), { minLength: 1, maxLength: 3 }), {
      minLength: history.length,
      maxLength: history.length,
    })
    .map((turns) =>
      history
        .flatMap((event, index) => (turns[index] ?? []).map((turn) => ({ event, turn })))
        .sort((a, b) => a.turn - b.turn)
        .map(({ event }) => event),
    );
