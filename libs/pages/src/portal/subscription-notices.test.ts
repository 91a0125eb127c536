import { expect, test } from 'vitest';
import { chargeOf, subscriptionOf } from '../../test/gallery/portal-samples.ts';
import { saidOf } from './subscription-notices.ts';

const active = subscriptionOf({});
const ending = subscriptionOf({ cancel_at: '2026-12-23T12:00:00.000Z' });
const paused = subscriptionOf({ status: 'paused' });
const canceled = subscriptionOf({ status: 'canceled' });
const checked = subscriptionOf({ card_change: { status: 'processing', url: null } });
const unpaid = subscriptionOf({ charges: [chargeOf({ status: 'declined' }), chargeOf({})] });

test.each([
  ['canceled', [ending, canceled], [active, paused]],
  ['canceled_late', [ending, canceled], [active]],
  ['kept', [active], [ending, canceled]],
  ['paused', [paused], [active, canceled]],
  ['paused_late', [paused], [active]],
  ['resumed', [active], [paused, canceled]],
  ['card', [active], [checked]],
  ['paid', [active], [checked, unpaid]],
  ['failed', [active, ending, paused, canceled], []],
] as const)('an address that says "%s" is believed only where the subscription agrees', (said, agreeing, others) => {
  for (const subscription of agreeing) expect(saidOf(said, subscription)).toBe(said);
  for (const subscription of others) expect(saidOf(said, subscription)).toBeNull();
});

test('an address that says anything else says nothing', () => {
  for (const text of [null, '', 'toString', 'Your card is stolen']) expect(saidOf(text, active)).toBeNull();
});
