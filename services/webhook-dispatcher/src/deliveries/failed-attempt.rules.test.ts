import { expect, test } from 'vitest';
import { kindOf } from '../destinations/destination-kind.rules.ts';
import { decideFailure, type EndpointNow } from './failed-attempt.rules.ts';

const created = '2026-05-04T12:00:00.000Z';
const next = '2026-05-04T12:00:30.000Z';
const retry = { status_code: 500, reason_if_ended: null, created_at: created, next_attempt_at: next };
const last = { ...retry, reason_if_ended: 'attempts_used', next_attempt_at: null } as const;
/** An email that was given up before its attempts ended. */
const refused = { ...last, reason_if_ended: 'refused' } as const;

const endpoint = (state: 'on' | 'off' | 'changing'): EndpointNow => ({ kind: kindOf('primary'), state });
const automation = (state: 'on' | 'off' | 'changing'): EndpointNow => ({ kind: kindOf('automation'), state });

const pending = { status: 'pending', held_reason: null, reason: null, outcome: 'pending' };
const held = { status: 'held', held_reason: null, reason: null, outcome: 'held', retry_at: null };
const heldForFailing = { ...held, held_reason: 'endpoint_failing', outcome: 'held_for_failing' };
const ended = (status: string, reason: string) => ({
  status,
  held_reason: null,
  reason,
  outcome: status,
  retry_at: null,
  if_active: null,
});
const waits = { ...pending, due_at: next, retry_at: next };

test.each([
  ['a retry waits for its time', retry, endpoint('on'), { ...waits, if_active: true }],
  ['a retry of an automation waits for its time', retry, automation('on'), { ...waits, if_active: true }],
  ['a retry is held while the endpoint is off', retry, endpoint('off'), { ...held, due_at: next, if_active: false }],
  [
    'a retry is canceled while the automation is off',
    retry,
    automation('off'),
    { ...ended('canceled', 'discarded'), if_active: false },
  ],
  ['a retry is canceled when the endpoint was removed', retry, null, ended('canceled', 'removed')],
  ['a retry waits while the endpoint is being changed', retry, endpoint('changing'), { ...waits, if_active: null }],
  [
    'after 410 the attempt says that its delivery is held, and announces no other',
    { ...retry, status_code: 410 },
    endpoint('on'),
    { ...pending, outcome: 'held', due_at: next, retry_at: null, if_active: true },
  ],
  ['a refused email is given up, whatever its automation is', refused, automation('off'), ended('failed', 'refused')],
  ['a refused email is given up, though its automation was removed', refused, null, ended('failed', 'refused')],
] as const)('%s', (_, attempt, now, expected) => {
  for (const nothingDelivered of [true, false])
    expect(decideFailure(attempt, { endpoint: now, nothingDelivered })).toMatchObject(expected);
});

test.each([
  [
    'held until the endpoint takes a delivery',
    true,
    endpoint('on'),
    { ...heldForFailing, due_at: created, if_active: true },
  ],
  ['held while the endpoint is off', true, endpoint('off'), { ...held, due_at: created, if_active: false }],
  ['canceled when the endpoint was removed', true, null, ended('canceled', 'removed')],
  [
    'followed by one more while the endpoint is being changed',
    true,
    endpoint('changing'),
    { ...pending, due_at: created, retry_at: created, if_active: null },
  ],
  ['given up for an automation', true, automation('on'), ended('failed', 'attempts_used')],
  ['given up for an automation that is off', true, automation('off'), ended('failed', 'attempts_used')],
  ['given up when something was delivered since', false, endpoint('on'), ended('failed', 'attempts_used')],
  ['given up then, though the endpoint is off', false, endpoint('off'), ended('failed', 'attempts_used')],
  ['given up then, though the endpoint was removed', false, null, ended('failed', 'attempts_used')],
] as const)('a delivery’s last attempt is %s', (_, nothingDelivered, now, expected) => {
  expect(decideFailure(last, { endpoint: now, nothingDelivered })).toMatchObject(expected);
});
