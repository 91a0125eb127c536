import { expect, test } from 'vitest';
import { about, declinedOutcome, lookedUp, type Suite, succeeded, waiting } from './suite.ts';

export function describeConfirmation(suite: Suite): void {
  const requested = async (method: 'authorize' | 'charge', paymentMethod: string) => {
    const request = suite.request({ paymentMethod });
    return { request, outcome: waiting(await suite.processor[method](request, suite.call())) };
  };

  test.each(['authorize', 'charge'] as const)('%s: a buyer who confirms has paid', async (method) => {
    const { request, outcome } = await requested(method, suite.cards.confirmed);
    await suite.subject().buyerDecides(outcome.url);
    const paid = succeeded(await lookedUp(suite, method, request));
    expect(paid).toMatchObject({ reference: outcome.reference, savedMethod: expect.stringMatching(/\S/) });
    if (method === 'authorize') {
      expect(paid.captureBefore?.getTime()).toBeGreaterThan(suite.subject().now().getTime());
      succeeded(await suite.processor.capture(about(suite, paid, 4_900), suite.call()));
    } else succeeded(await suite.processor.refund(about(suite, paid, 4_900), suite.call()));
  });

  test('a buyer who refuses has not paid', async () => {
    const { request, outcome } = await requested('charge', suite.cards.refused);
    await suite.subject().buyerDecides(outcome.url);
    expect(await lookedUp(suite, 'charge', request)).toMatchObject({ status: 'declined' });
  });

  test.each(['authorize', 'charge'] as const)(
    '%s: what waits is given up, and cannot succeed any more',
    async (method) => {
      const { request, outcome } = await requested(method, suite.cards.confirmed);
      const waits = { reference: outcome.reference, amountCents: 4_900, currency: 'usd' };
      succeeded(await suite.processor.release({ paymentId: suite.paymentId(), ...waits }, suite.call()));
      expect(await lookedUp(suite, method, request)).toMatchObject({ status: 'declined' });
    },
  );

  test('a hold that the buyer confirmed before it was given up is released, and says so', async () => {
    const { request, outcome } = await requested('authorize', suite.cards.confirmed);
    await suite.subject().buyerDecides(outcome.url);
    const hold = succeeded(await lookedUp(suite, 'authorize', request));
    succeeded(await suite.processor.release(about(suite, hold, 4_900), suite.call()));
    expect(await lookedUp(suite, 'authorize', request)).toEqual(declinedOutcome('soft', 'released'));
    const capture = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(capture).toEqual(declinedOutcome('soft', 'already_released'));
  });

  test('a charge that the buyer confirmed before it was given up stays paid', async () => {
    const { request, outcome } = await requested('charge', suite.cards.confirmed);
    await suite.subject().buyerDecides(outcome.url);
    succeeded(await lookedUp(suite, 'charge', request));
    const waits = { reference: outcome.reference, amountCents: 4_900, currency: 'usd' };
    const release = await suite.processor.release({ paymentId: suite.paymentId(), ...waits }, suite.call());
    expect(release).toMatchObject({ status: 'declined' });
    succeeded(await lookedUp(suite, 'charge', request));
  });

  test('what waits cannot be captured or refunded', async () => {
    const { outcome } = await requested('authorize', suite.cards.confirmed);
    const waits = { reference: outcome.reference, amountCents: 4_900, currency: 'usd' };
    const capture = await suite.processor.capture({ paymentId: suite.paymentId(), ...waits }, suite.call());
    expect(capture).toMatchObject({ status: 'declined' });
    const refund = await suite.processor.refund({ paymentId: suite.paymentId(), ...waits }, suite.call());
    expect(refund).toMatchObject({ status: 'declined' });
  });

  /** A saved card of which the bank wants each charge confirmed. */
  const saved = async (paymentMethod: string) => {
    const request = suite.request({ paymentMethod });
    const first = await suite.processor.charge(request, suite.call());
    if (first.status === 'requires_action') {
      await suite.subject().buyerDecides(waiting(first).url);
      return succeeded(await lookedUp(suite, 'charge', request)).savedMethod ?? '';
    }
    return succeeded(first).savedMethod ?? '';
  };
  const chargedLater = async (savedMethod: string, isThere: boolean) => {
    const { paymentMethod: _, returnUrl, ...about } = suite.request();
    const request = { ...about, savedMethod, ...(isThere && { confirmation: { returnUrl } }) };
    const outcome = await suite.processor.chargeSaved(request, suite.call());
    const found = () => suite.processor.lookUp({ call: 'chargeSaved', request }, suite.call());
    return { request, outcome, found };
  };

  test('a saved card that the bank asks about is declined while the buyer is away, and charged once they confirm', async () => {
    const card = await saved(suite.cards.laterConfirmed);
    const away = await chargedLater(card, false);
    expect(away.outcome).toEqual(declinedOutcome('soft', 'authentication_required'));
    expect(await away.found()).toMatchObject({ status: 'declined', reason: 'authentication_required' });
    const { request, outcome, found } = await chargedLater(card, true);
    const { reference, url } = waiting(outcome);
    // The same key needs the same confirmation.
    expect(await suite.processor.chargeSaved(request, suite.call())).toEqual(outcome);
    await suite.subject().buyerDecides(url);
    expect(succeeded(await found()).reference).toBe(reference);
    const sent = { call: 'chargeSaved', request: { ...request, reference, savedMethod: card } } as const;
    const paid = succeeded(await suite.processor.lookUp(sent, suite.call()));
    succeeded(await suite.processor.refund(about(suite, paid, 4_900), suite.call()));
  });

  test('a saved card that the bank does not ask about is charged at once, also while the buyer is there', async () => {
    succeeded((await chargedLater(await saved(suite.cards.works), true)).outcome);
  });

  test('a charge of a saved card that waits is given up, and says so', async () => {
    const { outcome, found } = await chargedLater(await saved(suite.cards.laterConfirmed), true);
    const waits = { reference: waiting(outcome).reference, amountCents: 4_900, currency: 'usd' };
    succeeded(await suite.processor.release({ paymentId: suite.paymentId(), ...waits }, suite.call()));
    expect(await found()).toEqual(declinedOutcome('soft', 'released'));
  });

  test.runIf(suite.cards.laterRefused)('a buyer who refuses the charge of a saved card has not paid', async () => {
    const { outcome, found } = await chargedLater(await saved(suite.cards.laterRefused ?? ''), true);
    await suite.subject().buyerDecides(waiting(outcome).url);
    expect(await found()).toMatchObject({ status: 'declined' });
  });
}
