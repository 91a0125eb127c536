import { expect, test } from 'vitest';
import { saidOf } from './subscription-notices.ts';

const active = { status: 'active', cancel_at: null, card_change: null } as const;
const ending = { ...active, cancel_at: '2026-12-23T12:00:00.000Z' } as const;
const paused = { ...active, status: 'paused' } as const;
const canceled = { ...active, status: 'canceled' } as const;
const checked = { ...active, card_change: { status: 'processing', url: null } } as const;

test.each([
  ['canceled', [ending, canceled], [active, paused]],
  ['canceled_late', [ending, canceled], [active]],
  ['kept', [active], [ending, canceled]],
  ['paused', [paused], [active, canceled]],
  ['paused_late', [paused], [active]],
  ['resumed', [active], [paused, canceled]],
  ['card', [active], [checked]],
  ['failed', [active, ending, paused, canceled], []],
] as const)('an address that says "%s" is believed only where the subscription agrees', (said, agreeing, others) => {
  for (const subscription of agreeing) expect(saidOf(said, subscription)).toBe(said);
  for (const subscription of others) expect(saidOf(said, subscription)).toBeNull();
});

test('an address that says anything else says nothing', () => {
  for (const text of [null, '', 'toString', 'Your card is stolen']) expect(saidOf(text, active)).toBeNull();
});
