import { expect, test } from 'vitest';
import { charged, declinedOutcome, held, lookedUp, recordsOf, type Suite, succeeded, waiting } from './suite.ts';

export function describeCharges(suite: Suite): void {
  test('a charge succeeds with a reference, a saved method and the last four digits', async () => {
    const outcome = await charged(suite);
    expect(outcome.reference).not.toBe('');
    expect(outcome.savedMethod).toMatch(/\S/);
    expect(outcome.lastFour).toMatch(/^\d{4}$/);
  });

  test('a saved method is charged without the buyer, and is not the token', async () => {
    const { savedMethod = '' } = await charged(suite);
    expect(savedMethod).not.toBe(suite.cards.works);
    const { paymentMethod: _, returnUrl: __, ...request } = suite.request();
    const later = await suite.processor.chargeSaved({ ...request, savedMethod }, suite.call());
    expect(succeeded(later).reference).not.toBe('');
  });

  test('a method saved with a hold is charged as one saved with a charge', async () => {
    const { savedMethod = '' } = await held(suite);
    const { paymentMethod: _, returnUrl: __, ...request } = suite.request();
    succeeded(await suite.processor.chargeSaved({ ...request, savedMethod }, suite.call()));
  });

  test('a card that is not to be saved is charged all the same, and has no saved method', async () => {
    expect(await charged(suite, { savesCard: false })).not.toHaveProperty('savedMethod');
    const request = suite.request({ savesCard: false, paymentMethod: suite.cards.confirmed });
    const outcome = await suite.processor.charge(request, suite.call());
    await suite.subject().buyerDecides(waiting(outcome).url);
    expect(succeeded(await lookedUp(suite, 'charge', request))).not.toHaveProperty('savedMethod');
  });

  test('a saved method whose bank says no is declined, and never needs the buyer', async () => {
    const { savedMethod = '' } = await charged(suite, { paymentMethod: suite.cards.savedDeclined });
    const { paymentMethod: _, returnUrl: __, ...request } = suite.request();
    const outcome = await suite.processor.chargeSaved({ ...request, savedMethod }, suite.call());
    expect(outcome).toMatchObject({ status: 'declined' });
  });

  test.each(['authorize', 'charge'] as const)('%s: a decline says soft or hard, a code and words', async (method) => {
    const answers = async (paymentMethod: string) =>
      await suite.processor[method](suite.request({ paymentMethod }), suite.call());
    expect(await answers(suite.cards.declinedSoft)).toEqual(declinedOutcome('soft'));
    expect(await answers(suite.cards.declinedHard)).toEqual(declinedOutcome('hard'));
    expect(await answers('no such card')).toEqual(declinedOutcome('hard'));
  });

  test('a saved method that does not exist is declined hard', async () => {
    const { paymentMethod: _, returnUrl: __, ...request } = suite.request();
    const outcome = await suite.processor.chargeSaved({ ...request, savedMethod: 'no such method' }, suite.call());
    expect(outcome).toEqual(declinedOutcome('hard'));
  });

  test.each([
    { currency: 'usd', amountCents: 50 },
    { currency: 'jpy', amountCents: 1_000 },
    { currency: 'kwd', amountCents: 12_340 },
    { currency: 'eur', amountCents: 99_999_999 },
  ])('$amountCents $currency is recorded to the last unit', async (money) => {
    const since = suite.subject().now();
    const request = suite.request(money);
    const { reference } = succeeded(await suite.processor.charge(request, suite.call()));
    const record = (await recordsOf(suite, since)).find((entry) => entry.paymentId === request.paymentId);
    expect(record).toMatchObject({ ...money, reference, kind: 'charge', status: 'succeeded', message: null });
  });
}
