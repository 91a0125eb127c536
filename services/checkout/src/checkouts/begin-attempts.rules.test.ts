import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import {
  beginningOf,
  type DueAttempt,
  decideAttempt,
  type FoundOfAttempt,
  type LockedCheckout,
  mayTakeNewOrderId,
  type RecognizedAttempt,
} from './begin-attempts.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';
import type { FixedSale } from './fixed-sale.ts';

const nowMs = Date.parse('2026-03-15T12:00:00.000Z');
const hourMs = 3_600_000;

const locked = (change: Partial<LockedCheckout> = {}): LockedCheckout => ({
  ...{ id: 'cko_1', status: 'open', revision: 4, test: false, settings_revision: 7, order_id: null, attempt_no: 0 },
  discount_id: null,
  ...change,
});
const claim = { id: 'dsc_1', code: 'HALF', percentOff: 50, amountOffCents: null, expiresAt: null, maxUses: 2 };

/** An attempt of the checkout as it was read; what it does not name decides nothing. */
function attemptOf(row: Partial<CheckoutRow> = {}, change: Partial<RecognizedAttempt> = {}): RecognizedAttempt {
  const read = { id: 'cko_1', status: 'open', revision: 4, order_id: null, attempt_reason: null, ...row };
  return {
    row: read as CheckoutRow,
    sale: { totalCents: 9_900 } as FixedSale,
    claim: null,
    commandId: 'command',
    nowMs,
    buyer: { digests: ['browser'], confirmsRepeat: false },
    digests: ['kept'],
    ...change,
  };
}
const found = (change: Partial<FoundOfAttempt> = {}): FoundOfAttempt => ({
  ...{ checkout: locked(), mode: undefined, earlier: undefined },
  ...change,
});
const mode = (revision: number, test_mode: boolean | null, asks_consent: boolean | null = null) => ({
  ...{ account_id: 'acc_1', revision, test_mode, asks_consent },
});

test.each([
  ['that is gone', undefined],
  ['that was changed since', locked({ revision: 5 })],
  ['that another attempt pays', locked({ status: 'processing' })],
  ['that is paid', locked({ status: 'paid' })],
  ['that has expired', locked({ status: 'expired' })],
])('an attempt of a checkout %s is stale', (_, checkout) => {
  expect(decideAttempt(attemptOf(), found({ checkout }))).toBe('stale');
});

test('beside a confirmation that waits another card is tried, and no second use of a discount is claimed', () => {
  const waiting = found({ checkout: locked({ status: 'requires_action', discount_id: 'dsc_1' }) });
  const due = decideAttempt(attemptOf(), waiting);
  expect(due).toMatchObject({ repeatsOrder: null });
  expect(beginningOf(due as DueAttempt, { newOrderId: 'ord_2', gaveUp: false })).toMatchObject({ discountId: 'dsc_1' });
  expect(decideAttempt(attemptOf({}, { claim }), waiting)).toBe('stale');
});

test.each([
  ['switched since the opening', mode(7, true), 'other mode'],
  ['switched before the opening, by settings that are older', mode(6, true), 'begins'],
  ['the same', mode(8, false), 'begins'],
  ['not in the settings', mode(8, null), 'begins'],
  ['of no settings that are known', undefined, 'begins'],
])('with a mode that is %s the attempt: %s', (_, found_, outcome) => {
  const decision = decideAttempt(attemptOf(), found({ mode: found_ }));
  expect(typeof decision === 'string' ? decision : 'begins').toBe(outcome);
});

test.each([
  ['ticked what the seller asks for', true, 'I agree', 'open', 'begins'],
  ['not ticked it', true, undefined, 'open', 'no consent'],
  ['not ticked it, and tries another card', true, undefined, 'requires_action', 'begins'],
  ['not been asked', false, undefined, 'open', 'begins'],
  ['settings from before that setting', null, undefined, 'open', 'begins'],
] as const)('of a buyer who has %s the attempt: %4$s', (_, asks, immediateAccess, status, outcome) => {
  const attempt = attemptOf();
  const given = { ...attempt, sale: { ...attempt.sale, ...(immediateAccess && { immediateAccess }) } };
  const decision = decideAttempt(given, found({ checkout: locked({ status }), mode: mode(8, false, asks) }));
  expect(typeof decision === 'string' ? decision : 'begins').toBe(outcome);
});

test.each([
  ['from the same buyer', { same: true, confirmsRepeat: false }, 'already bought'],
  ['that the same buyer confirms', { same: true, confirmsRepeat: true }, null],
  ['from elsewhere', { same: false, confirmsRepeat: false }, 'ord_1'],
  ['from elsewhere, confirmed', { same: false, confirmsRepeat: true }, 'ord_1'],
])('a repeated purchase %s', (_, { same, confirmsRepeat }, outcome) => {
  const buyer = { digests: [], confirmsRepeat };
  const decision = decideAttempt(attemptOf({}, { buyer }), found({ earlier: { order_id: 'ord_1', same } }));
  expect(typeof decision === 'string' ? decision : decision.repeatsOrder).toBe(outcome);
});

test('an order keeps its id for an hour, and for ever once an attempt was given up', () => {
  const ofAge = (ageMs: number, reason: CheckoutRow['attempt_reason']) => {
    const order_id = newId('order', nowMs - ageMs);
    const attempt = attemptOf({ order_id, attempt_reason: reason });
    const due = { attempt, checkout: locked({ order_id, attempt_no: 1 }), repeatsOrder: null };
    const idOf = (gaveUp: boolean) => beginningOf(due, { newOrderId: 'new', gaveUp }).row.order_id;
    return { may: mayTakeNewOrderId(attempt), takes: idOf(false) === 'new', takesAfterGivenUp: idOf(true) === 'new' };
  };
  const kept = { may: false, takes: false, takesAfterGivenUp: false };
  expect(ofAge(hourMs / 2, 'card_declined')).toEqual(kept);
  expect(ofAge(2 * hourMs, 'card_declined')).toEqual({ may: true, takes: true, takesAfterGivenUp: false });
  expect(ofAge(2 * hourMs, 'try_again_later')).toEqual(kept);
  expect(ofAge(2 * hourMs, null)).toEqual(kept);
});

test('an attempt that begins moves the checkout on, and forgets what was said of the one before', () => {
  const attempt = attemptOf(
    { reason: 'card_declined', attempt_reason: 'card_declined', action_url: 'https://bank' },
    { claim },
  );
  const due = { attempt, checkout: locked({ attempt_no: 2 }), repeatsOrder: 'ord_1' };
  expect(beginningOf(due, { newOrderId: 'ord_2', gaveUp: false })).toMatchObject({
    row: {
      ...{ status: 'processing', revision: 5, attempt_no: 3, order_id: 'ord_2', repeats_order: 'ord_1' },
      ...{ reason: null, attempt_reason: null, action_url: null, attempt_began_at: new Date(nowMs) },
      sale: { totalCents: 9_900 },
    },
    discountId: 'dsc_1',
  });
});
