import { expect, test } from 'vitest';
import { decideHeld } from './held.rules.ts';

const nothing = { send: null, discard: null };
const on = { wasConnected: true, wasActive: true, isActive: true };
const switchedOn = { wasConnected: true, wasActive: false, isActive: true };
const off = { wasConnected: true, wasActive: false, isActive: false };
const connected = { wasConnected: false, wasActive: false, isActive: true };

test('left out, switching on sends what was held, and nothing else touches it', () => {
  expect(decideHeld(switchedOn, undefined)).toEqual({ send: 'all', discard: null });
  for (const change of [on, off, connected]) expect(decideHeld(change, undefined)).toEqual(nothing);
  expect(decideHeld({ ...on, isActive: false }, undefined)).toEqual(nothing);
});

test('a choice holds whenever it is given, also for what is older than the URL', () => {
  for (const change of [on, switchedOn, connected]) {
    expect(decideHeld(change, 'send')).toEqual({ send: 'all', discard: null });
    expect(decideHeld(change, 'orders')).toEqual({ send: 'orders', discard: 'others' });
    expect(decideHeld(change, 'discard')).toEqual({ send: null, discard: 'all' });
  }
});

test('an endpoint that is off takes discard only', () => {
  for (const change of [off, { ...on, isActive: false }, { ...connected, isActive: false }]) {
    expect(decideHeld(change, 'discard')).toEqual({ send: null, discard: 'all' });
    expect(decideHeld(change, 'send')).toBeNull();
    expect(decideHeld(change, 'orders')).toBeNull();
  }
});
