import { declineReason } from '@app/contracts/payments';
import { expect, test } from 'vitest';
import { openedOf, pastDue, subscriptionOf } from '../test/gallery/portal-samples.ts';
import { orderNotices } from './checkout/order-page.texts.ts';
import { cardNotices } from './portal/card-pages.ts';
import { stateNotices } from './portal/subscription-notices.ts';

const { options } = declineReason;

test('each reason of a decline has words of its own, which say that nothing was charged', () => {
  for (const notices of [orderNotices, cardNotices]) {
    expect(new Set(options.map((reason) => notices[reason])).size).toBe(options.length);
    for (const reason of options) expect(notices[reason]).toContain('Nothing was charged');
  }
  expect(orderNotices.incorrect_cvc).toBe(
    'The security code does not fit this card. Nothing was charged. Check the code on the card, and try again.',
  );
});

test('the buyer of a renewal that failed reads why, and when it is charged again', () => {
  const ofBank = subscriptionOf({ ...pastDue, failed_reason: 'insufficient_funds' });
  expect(stateNotices(openedOf({ subscription: ofBank, said: null })).text).toContain(
    'There is not enough money on this card. $29.00 is charged again on Nov 26, 2026. Another card is charged at once.',
  );
});
