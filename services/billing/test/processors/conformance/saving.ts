import { expect, test } from 'vitest';
import { charged, declinedOutcome, lookedUp, recordsOf, type Suite, saving, succeeded, waiting } from './suite.ts';

export function describeSaving(suite: Suite): void {
  const chargeLater = async (savedMethod: string) => {
    const { paymentMethod: _, returnUrl: __, ...request } = suite.request();
    return await suite.processor.chargeSaved({ ...request, savedMethod }, suite.call());
  };
  const requested = async (paymentMethod: string) => {
    const request = saving(suite, { paymentMethod });
    return { request, outcome: waiting(await suite.processor.saveMethod(request, suite.call())) };
  };
  const about = (reference: string) => ({ paymentId: suite.paymentId(), reference, amountCents: 0, currency: 'usd' });

  test('a saved card is charged without the buyer, and saving it took nothing', async () => {
    const since = suite.subject().now();
    const request = saving(suite);
    const saved = succeeded(await suite.processor.saveMethod(request, suite.call()));
    expect(saved).toMatchObject({ lastFour: expect.stringMatching(/^\d{4}$/) });
    expect(saved.savedMethod).not.toBe(suite.cards.works);
    expect(await lookedUp(suite, 'saveMethod', request)).toEqual(saved);
    const records = (await recordsOf(suite, since)).filter(({ paymentId }) => paymentId === request.paymentId);
    const { reference } = saved;
    expect(records).toMatchObject([{ reference, kind: 'method', status: 'succeeded', amountCents: 0, about: null }]);
    succeeded(await chargeLater(saved.savedMethod ?? ''));
  });

  test('a refused card is not saved, and says soft or hard, a code and words', async () => {
    const save = async (paymentMethod: string) =>
      await suite.processor.saveMethod(saving(suite, { paymentMethod }), suite.call());
    expect(await save(suite.cards.declinedSoft)).toEqual(declinedOutcome('soft'));
    expect(await save(suite.cards.declinedHard)).toEqual(declinedOutcome('hard'));
    expect(await save('no such card')).toEqual(declinedOutcome('hard'));
  });

  test('a card whose later charges are declined is saved all the same', async () => {
    const request = saving(suite, { paymentMethod: suite.cards.savedDeclined });
    const { savedMethod = '' } = succeeded(await suite.processor.saveMethod(request, suite.call()));
    expect(await chargeLater(savedMethod)).toMatchObject({ status: 'declined' });
  });

  test('a card is saved once its buyer has confirmed it at the bank, and charged then', async () => {
    const { request, outcome } = await requested(suite.cards.confirmed);
    await suite.subject().buyerDecides(outcome.url);
    const saved = succeeded(await lookedUp(suite, 'saveMethod', request));
    expect(saved).toMatchObject({ reference: outcome.reference, savedMethod: expect.stringMatching(/\S/) });
    succeeded(await chargeLater(saved.savedMethod ?? ''));
    // It is saved for good.
    const release = await suite.processor.release(about(outcome.reference), suite.call());
    expect(release).toMatchObject({ status: 'declined' });
  });

  test('a card that its buyer refuses at the bank, or that is given up before, is not saved', async () => {
    const refused = await requested(suite.cards.refused);
    await suite.subject().buyerDecides(refused.outcome.url);
    expect(await lookedUp(suite, 'saveMethod', refused.request)).toMatchObject({ status: 'declined' });
    const givenUp = await requested(suite.cards.confirmed);
    succeeded(await suite.processor.release(about(givenUp.outcome.reference), suite.call()));
    expect(await lookedUp(suite, 'saveMethod', givenUp.request)).toMatchObject({ status: 'declined' });
  });

  test('twenty sendings of one key at once save one card, and the key of a charge saves none', async () => {
    const request = saving(suite);
    const sent = Array.from({ length: 20 }, () => suite.processor.saveMethod(request, suite.call()));
    expect(new Set((await Promise.all(sent)).map((answer) => JSON.stringify(answer))).size).toBe(1);
    await expect(lookedUp(suite, 'charge', request)).rejects.toThrow();
    const charge = suite.request();
    await charged(suite, charge);
    await expect(suite.processor.saveMethod({ ...charge, amountCents: 0 }, suite.call())).rejects.toThrow();
  });

  test('what is saved cannot be captured or refunded: nothing was taken', async () => {
    const { reference } = succeeded(await suite.processor.saveMethod(saving(suite), suite.call()));
    const some = { reference, amountCents: 100, currency: 'usd' };
    for (const method of ['capture', 'refund'] as const) {
      const outcome = await suite.processor[method]({ paymentId: suite.paymentId(), ...some }, suite.call());
      expect(outcome).toMatchObject({ status: 'declined' });
    }
  });
}
