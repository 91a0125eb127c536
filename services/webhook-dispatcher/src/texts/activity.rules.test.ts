import { expect, test } from 'vitest';
import {
  type AttemptFacts,
  attemptText,
  endpointRemovedText,
  reopenedText,
  unmatchedCodeText,
} from './activity.rules.ts';

const facts: AttemptFacts = {
  event: 'order.paid',
  url: 'https://example.com/hook',
  number: 1,
  statusCode: 200,
  durationMs: 12,
  error: null,
  diagnosis: null,
  outcome: 'delivered',
  nextAttemptAt: null,
};
const next = '2026-01-15T12:00:05.000Z';
const failed = 'order.paid not delivered to https://example.com/hook';

test('an attempt says in plain words what happened and what follows', () => {
  expect(attemptText(facts)).toBe('order.paid delivered to https://example.com/hook (200 in 12 ms)');
  expect(attemptText({ ...facts, statusCode: 500, outcome: 'pending', nextAttemptAt: next })).toBe(
    `${failed} (500 in 12 ms); attempt 2 follows at ${next}`,
  );
  expect(
    attemptText({ ...facts, statusCode: null, error: 'the connection was refused', outcome: 'failed', number: 12 }),
  ).toBe(`${failed} (the connection was refused, after 12 ms); given up after 12 attempts`);
  expect(attemptText({ ...facts, statusCode: 500, outcome: 'failed', number: 1 })).toBe(
    `${failed} (500 in 12 ms); given up after 1 attempt`,
  );
  expect(attemptText({ ...facts, statusCode: 500, outcome: 'held_for_failing', number: 12 })).toBe(
    `${failed} (500 in 12 ms); given up after 12 attempts, and held until the endpoint takes a delivery`,
  );
  expect(attemptText({ ...facts, statusCode: 200, error: 'no complete answer in time', outcome: 'held' })).toBe(
    `${failed} (200, no complete answer in time, after 12 ms); held, because the endpoint is off`,
  );
  expect(
    attemptText({ ...facts, statusCode: 301, outcome: 'canceled', diagnosis: 'The address has moved: use another.' }),
  ).toBe(
    `${failed} (301 in 12 ms); canceled, because the endpoint was removed or the automation switched off. The address has moved: use another.`,
  );
  expect(attemptText({ ...facts, url: 'mailto:ada@example.com', statusCode: null })).toBe(
    'order.paid delivered to mailto:ada@example.com (in 12 ms)',
  );
});

test('the removal of an endpoint says how many waiting deliveries are canceled', () => {
  expect(endpointRemovedText('https://a.example', 0)).toBe('The webhook endpoint https://a.example was removed');
  expect(endpointRemovedText('https://a.example', 1)).toContain('1 delivery that waited is canceled');
  expect(endpointRemovedText('https://a.example', 3)).toContain('3 deliveries that waited are canceled');
});

test('an affiliate code cannot break out of the line that names it', () => {
  expect(unmatchedCodeText('A\u0000\u001b[2J\r\nB\u2028C\u009b')).toContain('"A [2J B C "');
});

test('a refund that failed afterwards says where the money is and what to do, and the processor’s words stay on their line', () => {
  const text = reopenedText({ customerEmail: 'ada@example.com', detail: 'card\r\nclosed' });
  expect(text).toContain('"card closed"');
  expect(text).toContain('the order counts as paid again. Refund it once more, or give ada@example.com the money back');
});
