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
}
