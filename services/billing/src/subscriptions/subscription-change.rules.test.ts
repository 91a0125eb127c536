import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nthPeriodEnd } from './period.rules.ts';
import {
  cancel,
  cancelAtPeriodEnd,
  keep,
  pause,
  replaceCard,
  resume,
  type Subscription,
} from './subscription-change.rules.ts';

const at = (text: string): Date => new Date(`${text}T12:00:00.000Z`);
const active: Subscription = {
  status: 'active',
  collection: 'automatic',
  billing_interval: 'month',
  started_at: at('2026-01-31'),
  canceled_at: null,
  cancel_requested_by: null,
  paused_at: null,
  paused_by: null,
  paused_retry_at: null,
  next_charge_at: at('2026-02-28'),
  failed_tries: 0,
  hard_declined: false,
  free_attempt: false,
  anchor: at('2026-01-31'),
  anchor_period: 0,
  period: 1,
  current_period_end: at('2026-02-28'),
};
const pastDue: Subscription = { ...active, status: 'past_due', failed_tries: 2, next_charge_at: at('2026-03-04') };
const paused: Subscription = {
  ...active,
  ...{ status: 'paused', paused_at: at('2026-02-10'), paused_by: 'seller', next_charge_at: null },
};
const none = { charging: false, paidAt: null };
const charging = { charging: true, paidAt: null };
const canceled: Subscription = {
  ...active,
  status: 'canceled',
  canceled_at: at('2026-02-10'),
  next_charge_at: null,
};
const external: Subscription = { ...active, collection: 'external', next_charge_at: null };

test('a subscription is canceled from every state that lives, and a canceled one stays as it is', () => {
  const ended = {
    status: 'canceled',
    canceled_at: at('2026-02-11'),
    cancel_requested_by: null,
    ...{ paused_at: null, paused_by: null, paused_retry_at: null },
    next_charge_at: null,
    free_attempt: false,
  };
  for (const living of [active, pastDue, paused]) expect(cancel(living, at('2026-02-11'))).toEqual(ended);
  // The seller has collected its period.
  const collected = { period: 1, current_period_end: external.current_period_end };
  expect(cancel(external, at('2026-02-11'))).toEqual({ ...ended, ...collected });
  expect(cancel(canceled, at('2026-02-11'))).toBeNull();
});

test('a subscription that begins later than now ends when it begins', () => {
  expect(cancel(active, at('2026-01-01'))).toMatchObject({ canceled_at: active.started_at });
});

test('only an active one whose period is not over, or whose renewal is at the processor, ends later', () => {
  const now = at('2026-02-11');
  const later = { cancel_requested_by: 'buyer', next_charge_at: active.next_charge_at } as const;
  expect(cancelAtPeriodEnd(active, 'buyer', now, false)).toEqual(later);
  expect(cancelAtPeriodEnd(active, 'buyer', at('2026-02-28'), true)).toEqual(later);
  expect(cancelAtPeriodEnd({ ...active, ...later }, 'seller', now, false)).toBeNull();
  for (const living of [pastDue, paused])
    expect(cancelAtPeriodEnd(living, 'buyer', now, false)).toEqual(cancel(living, now));
  // A period that was not charged on its day is over, also where the next charge waits for a later day.
  for (const next_charge_at of [at('2026-02-28'), at('2026-03-02')]) {
    const over = { ...active, next_charge_at };
    expect(cancelAtPeriodEnd(over, 'buyer', at('2026-02-28'), false)).toMatchObject({ status: 'canceled' });
  }
  expect(cancelAtPeriodEnd(canceled, 'buyer', now, false)).toBeNull();
});

test('an external one is canceled for the end of the period that it is in, and is due never again once it is kept', () => {
  const change = cancelAtPeriodEnd(external, 'seller', at('2026-05-10'), false);
  const end = at('2026-05-31');
  expect(change).toEqual({ period: 4, current_period_end: end, cancel_requested_by: 'seller', next_charge_at: end });
  const later = { ...external, ...change };
  expect(keep(later)).toEqual({ cancel_requested_by: null, next_charge_at: null });
  // A card makes it automatic, and neither keeps it nor moves its end.
  expect(replaceCard(later, at('2026-06-02'))).toEqual({
    collection: 'automatic',
    hard_declined: false,
    next_charge_at: end,
  });
});

test('what is kept renews on its date, what renews stays as it is, and until then a pause is refused', () => {
  const later = { ...active, cancel_requested_by: 'buyer' } as const;
  expect(keep(later)).toEqual({ cancel_requested_by: null });
  for (const other of [active, pastDue, paused, external]) expect(keep(other)).toBeNull();
  const refused = expect.objectContaining({ code: 'invalid_transition' });
  expect(() => keep(canceled)).toThrow(refused);
  expect(() => pause(later, 'seller', at('2026-02-11'))).toThrow(refused);
});

test('a pause ends renewals and attempts, holds already when paused, and is refused for a canceled one', () => {
  for (const by of ['seller', 'buyer'] as const) {
    const change = { status: 'paused', paused_at: at('2026-02-11'), paused_by: by, next_charge_at: null };
    for (const living of [active, external])
      expect(pause(living, by, at('2026-02-11'))).toEqual({ ...change, paused_retry_at: null });
    expect(pause(pastDue, by, at('2026-02-11'))).toEqual({ ...change, paused_retry_at: pastDue.next_charge_at });
  }
  for (const by of ['seller', 'buyer'] as const) expect(pause(paused, by, at('2026-02-11'))).toBeNull();
  // A buyer cannot undo what the seller has paused too.
  expect(pause({ ...paused, paused_by: 'buyer' }, 'seller', at('2026-02-11'))).toEqual({ paused_by: 'seller' });
  expect(pause({ ...paused, paused_by: 'buyer' }, 'buyer', at('2026-02-11'))).toBeNull();
  expect(() => pause(canceled, 'seller', at('2026-02-11'))).toThrow(
    expect.objectContaining({ code: 'invalid_transition' }),
  );
});

test('who resumes before the period’s end keeps the date', () => {
  expect(resume(paused, 'seller', new Date(at('2026-02-28').getTime() - 1), none)).toMatchObject({
    status: 'active',
    paused_at: null,
    anchor: active.anchor,
    anchor_period: 0,
    period: 1,
    current_period_end: at('2026-02-28'),
    next_charge_at: at('2026-02-28'),
  });
});

test('who resumes at the period’s end or later is due now, with a new anchor', () => {
  for (const now of [at('2026-02-28'), at('2026-05-17')])
    expect(resume(paused, 'seller', now, none)).toEqual({
      status: 'active',
      ...{ paused_at: null, paused_by: null, paused_retry_at: null },
      free_attempt: false,
      anchor: now,
      anchor_period: 1,
      period: 1,
      current_period_end: now,
      next_charge_at: now,
    });
});

test('what was past due when it was paused resumes past due, with its attempts, on their date or later now, at a new anchor', () => {
  for (const free_attempt of [false, true]) {
    const held: Subscription = { ...pastDue, free_attempt, ...pause(pastDue, 'buyer', at('2026-03-02')) };
    const resumed = { status: 'past_due', free_attempt, paused_at: null, paused_by: null, paused_retry_at: null };
    const early = resume(held, 'buyer', at('2026-03-03'), none);
    expect(early).toMatchObject({ ...resumed, next_charge_at: at('2026-03-04'), anchor: active.anchor });
    for (const now of [at('2026-03-04'), at('2026-05-17')]) {
      const late = { next_charge_at: now, anchor: now, anchor_period: 1, period: 1, current_period_end: now };
      expect(resume(held, 'buyer', now, none)).toMatchObject({ ...resumed, ...late });
    }
    expect({ ...held, ...early }).toMatchObject({ failed_tries: 2, hard_declined: pastDue.hard_declined });
  }
  // Its first charge was under way when it was paused, and was declined afterwards.
  const failed: Subscription = { ...paused, failed_tries: 1 };
  expect(resume(failed, 'seller', at('2026-03-02'), none)).toMatchObject({
    ...{ status: 'past_due', next_charge_at: at('2026-03-02') },
  });
});

test('a buyer resumes what the buyer has paused, and not what the seller has', () => {
  const refused = expect.objectContaining({ code: 'not_allowed_by_seller' });
  for (const paused_by of ['seller', null] as const)
    expect(() => resume({ ...paused, paused_by }, 'buyer', at('2026-02-11'), none)).toThrow(refused);
  for (const by of ['seller', 'buyer'] as const)
    expect(resume({ ...paused, paused_by: 'buyer' }, by, at('2026-02-11'), none)).toMatchObject({ status: 'active' });
  expect(resume(active, 'buyer', at('2026-02-11'), none)).toBeNull();
});

test('a renewal at the processor keeps its dates until the period that it pays for has ended too', () => {
  const end = at('2026-03-31');
  expect(resume(paused, 'seller', new Date(end.getTime() - 1), charging)).toMatchObject({
    anchor: active.anchor,
    anchor_period: 0,
    current_period_end: at('2026-02-28'),
    next_charge_at: at('2026-02-28'),
  });
  for (const now of [end, at('2026-05-17')])
    expect(resume(paused, 'seller', now, charging)).toMatchObject({
      anchor: now,
      anchor_period: 1,
      current_period_end: now,
      next_charge_at: now,
    });
});

test('what is not paused is not resumed, and a canceled one is refused', () => {
  expect(resume(active, 'seller', at('2026-05-17'), none)).toBeNull();
  expect(resume(pastDue, 'seller', at('2026-05-17'), none)).toBeNull();
  expect(() => resume(canceled, 'seller', at('2026-05-17'), none)).toThrow(
    expect.objectContaining({ code: 'invalid_transition' }),
  );
});

test('an external subscription is never due, and keeps the period that it was paused in', () => {
  const collected = { ...external, status: 'paused', paused_at: at('2026-05-10') } as const;
  // It was paused within its fourth period, which ends on 31 May: the seller has collected that.
  expect(resume(collected, 'seller', at('2026-05-20'), none)).toMatchObject({
    period: 4,
    current_period_end: at('2026-05-31'),
    next_charge_at: null,
  });
  expect(resume(collected, 'seller', at('2026-07-20'), none)).toMatchObject({
    period: 4,
    anchor: at('2026-07-20'),
    anchor_period: 4,
    current_period_end: at('2026-07-20'),
    next_charge_at: null,
  });
});

test('a new card waits for the date of an active one, and is tried once for free when payment is past due', () => {
  const now = at('2026-03-02');
  expect(replaceCard({ ...active, hard_declined: true }, now)).toEqual({
    collection: 'automatic',
    hard_declined: false,
    next_charge_at: at('2026-02-28'),
  });
  expect(replaceCard({ ...pastDue, hard_declined: true }, now)).toEqual({
    collection: 'automatic',
    hard_declined: false,
    free_attempt: true,
    next_charge_at: now,
  });
  expect(replaceCard({ ...paused, hard_declined: true }, now)).toEqual({
    collection: 'automatic',
    hard_declined: false,
  });
  expect(replaceCard({ ...paused, failed_tries: 2, hard_declined: true }, now)).toEqual({
    ...{ collection: 'automatic', hard_declined: false, free_attempt: true, paused_retry_at: now },
  });
  expect(() => replaceCard(canceled, now)).toThrow(expect.objectContaining({ code: 'invalid_transition' }));
});

test('a card makes an external subscription automatic from the period after the one that the seller has collected', () => {
  expect(replaceCard(external, at('2026-05-31'))).toMatchObject({
    collection: 'automatic',
    period: 5,
    current_period_end: at('2026-06-30'),
    next_charge_at: at('2026-06-30'),
  });
  const collected = { ...external, status: 'paused', paused_at: at('2026-05-10') } as const;
  expect(replaceCard(collected, at('2026-07-01'))).toEqual({
    collection: 'automatic',
    hard_declined: false,
    period: 4,
    current_period_end: at('2026-05-31'),
  });
});

const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
const lastDay = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
const minute = 60_000;
const minutesMax = 60 * 24 * 90;

/** What happens after a renewal: nothing, or a pause and, after it, a resumption; minutes that pass before each. */
const events = fc.array(
  fc.option(fc.tuple(fc.integer({ min: 0, max: minutesMax }), fc.integer({ min: 0, max: minutesMax })), { freq: 4 }),
  { minLength: 1, maxLength: 480 },
);

/** A renewal as the daily run writes it: the next period begins where the last one ended. */
function renew(subscription: Subscription): Subscription {
  const period = subscription.period + 1;
  const { anchor, anchor_period, billing_interval } = subscription;
  const end = nthPeriodEnd(anchor, billing_interval, period - anchor_period);
  return { ...subscription, period, current_period_end: end, next_charge_at: end };
}

test('over 40 years of renewals, pauses and resumptions a period ends on the anchor’s day at its time, later than the one before, and one interval after it began', () => {
  const anchors = fc.date({ min: new Date('2000-01-01'), max: new Date('2060-12-31'), noInvalidDate: true });
  const run = fc.property(anchors, fc.constantFrom('month', 'year'), events, (started, interval, history) => {
    const step = interval === 'year' ? 12 : 1;
    const first = nthPeriodEnd(started, interval, 1);
    let now: Subscription = {
      ...active,
      ...{ billing_interval: interval, started_at: started, anchor: started },
      ...{ current_period_end: first, next_charge_at: first },
    };
    const horizon = new Date(started);
    horizon.setUTCFullYear(horizon.getUTCFullYear() + 40);
    for (let turn = 0; now.current_period_end < horizon; turn += 1) {
      const interruption = history[turn % history.length];
      if (interruption) {
        const begun = now.current_period_end.getTime() - 45 * 24 * 60 * minute;
        const pausedAt = new Date(begun + interruption[0] * minute);
        const resumedAt = new Date(pausedAt.getTime() + interruption[1] * minute);
        const held = { ...now, ...pause(now, 'seller', pausedAt) };
        expect(held.next_charge_at).toBeNull();
        const resumed = { ...held, ...resume(held, 'seller', resumedAt, none) };
        const late = now.current_period_end <= resumedAt;
        // Late: due now, at a new anchor. Else the date is kept. In no case does the paid period get shorter.
        expect(resumed.current_period_end).toEqual(late ? resumedAt : now.current_period_end);
        expect(resumed.anchor).toEqual(late ? resumedAt : now.anchor);
        expect([resumed.period, resumed.next_charge_at]).toEqual([now.period, resumed.current_period_end]);
        now = resumed;
      }
      const startsAt = now.current_period_end;
      const renewed = renew(now);
      const { anchor, anchor_period, period, current_period_end: end } = renewed;
      expect(end).toEqual(nthPeriodEnd(anchor, interval, period - anchor_period));
      expect(end.getTime()).toBeGreaterThan(startsAt.getTime());
      expect(end.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDay(end)));
      expect(end.getTime() % (24 * 60 * minute)).toBe(anchor.getTime() % (24 * 60 * minute));
      // One interval each, counted from the anchor: no drift however many there were.
      expect(monthOf(end) - monthOf(startsAt)).toBe(step);
      expect(monthOf(end) - monthOf(anchor)).toBe((period - anchor_period) * step);
      now = renewed;
    }
  });
  fc.assert(run, randomRuns(15, 1_000));
});
