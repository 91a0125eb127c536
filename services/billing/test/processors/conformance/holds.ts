import { expect, test } from 'vitest';
import { about, charged, declinedOutcome, held, lookedUp, oneOfTwenty, type Suite, succeeded } from './suite.ts';

export function describeHolds(suite: Suite): void {
  test('a hold says until when it can be captured, and is captured whole', async () => {
    const hold = await held(suite);
    expect(hold.captureBefore?.getTime()).toBeGreaterThan(suite.subject().now().getTime());
    succeeded(await suite.processor.capture(about(suite, hold, 4_900), suite.call()));
  });

  test('a part is captured once, and the rest is released', async () => {
    const hold = await held(suite);
    succeeded(await suite.processor.capture(about(suite, hold, 3_000), suite.call()));
    const rest = await suite.processor.capture(about(suite, hold, 1_900), suite.call());
    expect(rest).toEqual(declinedOutcome('soft', 'already_captured'));
  });

  test('of twenty captures at once with keys of their own one succeeds', async () => {
    const hold = await held(suite);
    await oneOfTwenty(() => suite.processor.capture(about(suite, hold, 4_900), suite.call()));
  });

  test('more than was held, or another currency, is not captured', async () => {
    const hold = await held(suite);
    const tooMuch = await suite.processor.capture(about(suite, hold, 4_901), suite.call());
    expect(tooMuch).toMatchObject({ status: 'declined' });
    const otherMoney = await suite.processor.capture(about(suite, hold, 4_900, 'eur'), suite.call());
    expect(otherMoney).toMatchObject({ status: 'declined' });
    succeeded(await suite.processor.capture(about(suite, hold, 4_900), suite.call()));
  });

  test('an expired hold is not captured, and says so', async () => {
    const hold = await held(suite);
    await suite.subject().passTime((hold.captureBefore?.getTime() ?? 0) - suite.subject().now().getTime());
    const outcome = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(outcome).toEqual(declinedOutcome('soft', 'hold_expired'));
  });

  test('an expired hold is found as it was held, and is not released', async () => {
    const request = suite.request();
    const hold = succeeded(await suite.processor.authorize(request, suite.call()));
    await suite.subject().passTime((hold.captureBefore?.getTime() ?? 0) - suite.subject().now().getTime());
    const capture = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(capture).toEqual(declinedOutcome('soft', 'hold_expired'));
    const release = about(suite, hold, 4_900);
    expect(await suite.processor.release(release, suite.call())).toEqual(declinedOutcome('soft', 'already_succeeded'));
    expect(await lookedUp(suite, 'authorize', request)).toEqual(hold);
  });

  test('a released hold is free: it is not captured, and released again without harm', async () => {
    const hold = await held(suite);
    succeeded(await suite.processor.release(about(suite, hold, 4_900), suite.call()));
    succeeded(await suite.processor.release(about(suite, hold, 4_900), suite.call()));
    const capture = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(capture).toEqual(declinedOutcome('soft', 'already_released'));
  });

  test('of capture and release at once exactly one succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const hold = await held(suite);
      const [capture, release] = await Promise.all([
        suite.processor.capture(about(suite, hold, 4_900), suite.call()),
        suite.processor.release(about(suite, hold, 4_900), suite.call()),
      ]);
      expect([capture.status, release.status].toSorted()).toEqual(['declined', 'succeeded']);
    }
  });

  test('what was captured or charged is not released', async () => {
    const hold = await held(suite);
    await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    const release = await suite.processor.release(about(suite, hold, 4_900), suite.call());
    expect(release).toEqual(declinedOutcome('soft', 'already_captured'));
    const charge = await charged(suite);
    const ended = await suite.processor.release(about(suite, charge, 4_900), suite.call());
    expect(ended).toMatchObject({ status: 'declined' });
  });

  test.skipIf(suite.cards.captureDeclined === undefined)('a capture can be declined while the hold lasts', async () => {
    const hold = await held(suite, { paymentMethod: suite.cards.captureDeclined ?? '' });
    const outcome = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(outcome).toEqual(declinedOutcome('soft', expect.not.stringMatching('hold_expired')));
  });
}
