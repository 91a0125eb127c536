import { createAutomation, listAutomations } from '@app/contracts/automations';
import { limits } from '@app/contracts/common';
import { newId } from '@app/contracts/ids';
import { listEvents } from '@app/contracts/webhook-deliveries';
import { patiently } from '@app/testing/patiently';
import { expect, test } from 'vitest';
import { storeEvents } from '../src/events/store-events.ts';
import { harness, startService } from './set-up.ts';
import { storing } from './storing.ts';

startService();

/** Stores events with these bodies, and sends nothing. */
async function store(accountId: string, bodies: readonly string[]): Promise<void> {
  const { clock } = harness;
  const events = bodies.map((body) => ({
    ...{ id: newId('event', clock.nowMs()), accountId, name: 'funnel.email.sync' as const, orderId: null, email: null },
    ...{
      productId: null,
      test: false,
      priority: 1 as const,
      body,
      traceparent: null,
      occurredAt: clock.now().toISOString(),
    },
  }));
  await harness.transaction((client) => storeEvents(storing(harness), events, client, () => {}));
}

async function readAll(account: string, limit: number) {
  const pages: number[][] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await harness.request(patiently(listEvents), account, {
      limit,
      ...(after !== undefined && { after }),
    });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(8 * 1024 * 1024);
    pages.push(page.data.map(({ sequence }) => sequence));
    after = page.data.at(-1)?.id;
    more = page.has_more;
  }
  return pages;
}

test('events whose bodies are longer than a message come in shorter pages, and none is passed over', async () => {
  const account = harness.account();
  const long = JSON.stringify({ body: '\u0001'.repeat(99_000) });
  await store(
    account,
    Array.from({ length: 15 }, () => long),
  );
  const pages = await readAll(account, 100);
  expect(pages.flat()).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  expect(pages.map((page) => page.length)).toEqual([13, 2]);
});

test('a page of short events is as long as was requested, and a body that would fill a page comes alone', async () => {
  const account = harness.account();
  await store(account, ['{}', '{}', JSON.stringify({ body: 'x'.repeat(limits.pageBytes - 100) }), '{}', '{}']);
  expect(await readAll(account, 2)).toEqual([[1, 2], [3], [4, 5]]);
});

test('the longest automations that an account may have are one answer', async () => {
  const account = harness.account();
  const long = (max: number) => '☃'.repeat(max);
  const action = { type: 'email', to: 'buyer', subject: long(200), body: long(limits.templateBytes) } as const;
  const add = (n: number) =>
    harness.request(createAutomation, account, { body: { name: `${n}`, event: 'order.paid', action } });
  for (let n = 0; n < limits.automationsPerAccount; n += 10)
    await Promise.all(Array.from({ length: 10 }, (_, k) => add(n + k)));
  const { data } = await harness.request(patiently(listAutomations), account, {});
  expect(data.filter(({ built_in }) => built_in === null)).toHaveLength(limits.automationsPerAccount);
});

test.each([
  ['subject', 'Hello\nthere', 'must be one line without control characters'],
  ['subject', 'Hello\u0001', 'must be one line without control characters'],
  ['subject', '   ', 'must not be blank'],
  ['body', 'Hello\u0001', 'must have no control characters except tabs and line breaks'],
  ['body', '\n\t', 'must not be blank'],
])('a %s of %j is refused', async (part, given, message) => {
  const action = { type: 'email', to: 'buyer', subject: 'Hi', body: 'a\tb\r\nc', [part]: given } as never;
  const added = harness.request(createAutomation, harness.account(), {
    body: { name: 'x', event: 'order.paid', action },
  });
  await expect(added).rejects.toMatchObject({ errors: [{ field: `body.action.${part}`, message }] });
});
