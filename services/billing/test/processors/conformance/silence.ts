import { expect, test } from 'vitest';
import type { CardRequest } from '../../../src/processors/port.ts';
import { lookedUp, recordsOf, type Suite, succeeded } from './suite.ts';

export function describeSilence(suite: Suite): void {
  const hungUp = () => AbortSignal.abort(new Error('the deadline has passed'));

  test('a call whose deadline has passed throws, and charges nothing', async () => {
    const request = suite.request();
    const call = suite.call({ signal: hungUp() });
    await expect(suite.processor.charge(request, call)).rejects.toThrow();
    await expect(lookedUp(suite, 'charge', request, call)).rejects.toThrow();
    await expect(recordsOf(suite, suite.subject().now(), call)).rejects.toThrow();
    expect(await lookedUp(suite, 'charge', request)).toBeNull();
  });

  test.skipIf(suite.cards.answerLost === undefined)(
    'an answer that never comes ends with the signal; look-up finds the charge, and its key gets the answer',
    async () => {
      const request = suite.request({ paymentMethod: suite.cards.answerLost ?? '' });
      await giveUp(suite, request);
      const found = succeeded(await lookedUp(suite, 'charge', request));
      expect(await suite.processor.charge(request, suite.call())).toEqual(found);
    },
  );

  test.skipIf(suite.cards.requestLost === undefined)(
    'a request that got lost is unknown to look-up, and arrives when it is sent again',
    async () => {
      const request = suite.request({ paymentMethod: suite.cards.requestLost ?? '' });
      await giveUp(suite, request);
      expect(await lookedUp(suite, 'charge', request)).toBeNull();
      succeeded(await suite.processor.charge(request, suite.call()));
    },
  );
}

/** A charge that the processor has got, and whose answer its caller waits for no longer. */
async function giveUp(suite: Suite, request: CardRequest): Promise<void> {
  const limit = new AbortController();
  const gaveUp = expect(suite.processor.charge(request, suite.call({ signal: limit.signal }))).rejects.toThrow();
  await suite.subject().callRecorded(request.paymentId);
  limit.abort(new Error('the deadline has passed'));
  await gaveUp;
}
