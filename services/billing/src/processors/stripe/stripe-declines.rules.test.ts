import { expect, test } from 'vitest';
import { declineOf } from './stripe-declines.rules.ts';

test.each([
  { given: { code: 'card_declined', decline_code: 'generic_decline' }, kind: 'soft', reason: 'generic_decline' },
  { given: { code: 'card_declined', decline_code: 'lost_card' }, kind: 'hard', reason: 'lost_card' },
  { given: { code: 'expired_card', decline_code: 'expired_card' }, kind: 'hard', reason: 'expired_card' },
  { given: { code: 'expired_card' }, kind: 'hard', reason: 'expired_card' },
  { given: { code: 'incorrect_number' }, kind: 'hard', reason: 'incorrect_number' },
  { given: { code: 'authentication_required' }, kind: 'soft', reason: 'authentication_required' },
  {
    given: { code: 'card_declined', decline_code: 'do_not_honor', advice_code: 'do_not_try_again' },
    kind: 'hard',
    reason: 'do_not_honor',
  },
  {
    given: { code: 'card_declined', decline_code: 'do_not_honor', advice_code: 'try_again_later' },
    kind: 'soft',
    reason: 'do_not_honor',
  },
  { given: {}, kind: 'soft', reason: 'card_declined' },
])('$given is $kind', ({ given, kind, reason }) => {
  expect(declineOf({ ...given, message: 'No.', last4: '0002' })).toEqual({
    ...{ status: 'declined', kind, reason, message: 'No.', lastFour: '0002' },
  });
});
