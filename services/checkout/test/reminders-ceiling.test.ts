import { expect, test } from 'vitest';
import { plainCourse } from './checkout-harness.ts';
import { dayMs, minuteMs } from './reminders-harness.ts';
import { harness, startReminders } from './reminders-set-up.ts';

startReminders({ REMINDERS_PER_DAY: '3' });

const later = (ms: number) => harness.base.clock.advance(ms);
const nothing = { ok: true, sent: 0, recovered: 0, problem: null };
const notices = async () =>
  (await harness.events()).filter(({ subject }) => subject.includes('reminder.noticed')).map(({ data }) => data);

/** The emails that the preview names on all its pages, and how many it counts. */
async function previewed(): Promise<{ count: number; emails: string[] }> {
  const emails: string[] = [];
  let page = await harness.preview({ limit: 2 });
  const { count } = page;
  emails.push(...page.data.map(({ customerEmail }) => customerEmail));
  while (page.next !== null) {
    page = await harness.preview({ limit: 2, after: page.next });
    expect(page.count).toBe(count);
    emails.push(...page.data.map(({ customerEmail }) => customerEmail));
  }
  return { count, emails };
}

/** Runs, and returns whom it sent a reminder to. */
async function sentByRun(): Promise<string[]> {
  const before = harness.smtp.received.length;
  const { sent } = await harness.run();
  const to = harness.smtp.received.slice(before).map((email) => email.to);
  expect(to).toHaveLength(sent);
  return to;
}

/** The preview's words are the run's deeds. Returns their emails. */
async function sentAsPreviewed(): Promise<string[]> {
  const { count, emails } = await previewed();
  expect(emails).toHaveLength(count);
  const sent = await sentByRun();
  expect(emails.toSorted()).toEqual(sent.toSorted());
  return sent.toSorted();
}

test('an account sends as many reminders in 24 hours as the ceiling allows, and its seller is notified; the preview says so before', async () => {
  for (const n of [1, 2, 3, 4, 5]) await harness.open({ email: `${n}@example.com` });
  later(61 * minuteMs);
  expect(await harness.preview()).toMatchObject({ count: 3, data: [{}, {}, {}], next: null });
  expect(await harness.run()).toEqual({ ...nothing, sent: 3 });
  expect(await notices()).toMatchObject([{ summary: expect.stringContaining('ceiling of 3 reminders in a day') }]);
  expect(await harness.preview()).toEqual({ count: 0, data: [], next: null });
  expect(await harness.run()).toEqual(nothing);
  later(dayMs + minuteMs);
  expect(await harness.run()).toEqual({ ...nothing, sent: 2 });
});

test('at the ceiling the pages of the preview name those whom the run reminds, in whatever order they came', async () => {
  for (const n of [9, 8, 7, 6, 5]) await harness.open({ email: `${n}@example.com` });
  later(61 * minuteMs);
  expect(await sentAsPreviewed()).toEqual(['5@example.com', '6@example.com', '7@example.com']);
  later(dayMs + minuteMs);
  expect(await sentAsPreviewed()).toEqual(['8@example.com', '9@example.com']);
});

test('checkouts of a product that cannot be bought take no slots under the ceiling', async () => {
  const gone = { ...plainCourse, productId: 'prd_2', slug: 'gone' };
  harness.shop.set('acc_1/gone', gone);
  for (const n of [0, 1, 2]) await harness.open({ email: `${n}@example.com`, slug: 'gone' });
  for (const n of [9, 8, 7, 6, 5]) await harness.open({ email: `${n}@example.com` });
  harness.shop.set('acc_1/gone', { ...gone, status: 'archived' });
  later(61 * minuteMs);
  expect(await sentAsPreviewed()).toEqual(['5@example.com', '6@example.com', '7@example.com']);
  const [capped] = await harness.query<{ id: string }>(`select id from checkouts where email = '8@example.com'`);
  expect(await notices()).toMatchObject([{ checkoutId: capped?.id }]);
  later(dayMs + minuteMs);
  expect(await sentAsPreviewed()).toEqual(['8@example.com', '9@example.com']);
  later(dayMs + minuteMs);
  // What is left is of no live product: no ceiling is reached, and nothing is reported.
  expect(await sentAsPreviewed()).toEqual([]);
  expect(await notices()).toHaveLength(1);
});
