import { newId } from '@app/contracts/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  CardRequest,
  PaymentProcessor,
  ProcessorCall,
  ProcessorOutcome,
  ProcessorRecord,
} from '../../src/processors/processor.ts';

/** Tokens of the processor's test cards, by what they do. Where a processor has no such card, that test is skipped. */
export interface ConformanceCards {
  readonly works: string;
  readonly declinedSoft: string;
  readonly declinedHard: string;
  /** The first charge succeeds, charges of the saved method are declined. */
  readonly savedDeclined: string;
  /** The bank asks the buyer, who confirms, or who refuses, when the subject lets them decide. */
  readonly confirmed: string;
  readonly refused: string;
  readonly captureDeclined?: string;
  readonly refundDeclined?: string;
  /** Refunds are taken and fail within the subject's `patienceMs`. */
  readonly refundFails?: string;
  /** The request arrives, the answer gets lost. */
  readonly answerLost?: string;
  /** The first sending gets lost on its way. */
  readonly requestLost?: string;
}

export interface ConformanceSubject {
  readonly processor: PaymentProcessor;
  readonly accountId: string;
  readonly secretKey?: string;
  now(): Date;
  /** The buyer goes to the bank's page and decides as the card says. */
  buyerDecides(url: string): Promise<void>;
  /** Moves the processor's time. */
  passTime(ms: number): void;
  close(): Promise<void>;
}

const dayMs = 86_400_000;

/** What every adapter has to do: one suite, run against each of them. */
export function describeProcessor(
  name: string,
  cards: ConformanceCards,
  open: () => Promise<ConformanceSubject>,
): void {
  describe(`${name} is a payment processor`, () => {
    let subject: ConformanceSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());
    const suite = suiteOf(cards, () => subject);
    describe('charges', () => describeCharges(suite));
    describe('keys', () => describeKeys(suite));
    describe('holds', () => describeHolds(suite));
    describe('refunds', () => describeRefunds(suite));
    describe('confirmation by the buyer', () => describeConfirmation(suite));
    describe('books', () => describeBooks(suite));
    describe('silence', () => describeSilence(suite));
  });
}

type Succeeded = Extract<ProcessorOutcome, { status: 'succeeded' }>;
type Suite = ReturnType<typeof suiteOf>;

function suiteOf(cards: ConformanceCards, subject: () => ConformanceSubject) {
  const paymentId = () => newId('payment', Date.now());
  return {
    cards,
    subject,
    paymentId,
    get processor() {
      return subject().processor;
    },
    call: (over: Partial<ProcessorCall> = {}): ProcessorCall => ({
      accountId: subject().accountId,
      secretKey: subject().secretKey,
      test: false,
      signal: AbortSignal.timeout(15_000),
      ...over,
    }),
    request: (over: Partial<CardRequest> = {}): CardRequest => ({
      paymentId: paymentId(),
      amountCents: 4_900,
      currency: 'usd',
      paymentMethod: cards.works,
      customerEmail: 'ada@example.com',
      orderId: newId('order', Date.now()),
      returnUrl: 'https://shop.example/c/shop/course',
      ...over,
    }),
  };
}

/** A request about an earlier outcome, with a key of its own. */
const about = (suite: Suite, { reference }: Succeeded, amountCents: number, currency = 'usd') => ({
  paymentId: suite.paymentId(),
  reference,
  amountCents,
  currency,
});

async function charged(suite: Suite, over: Partial<CardRequest> = {}): Promise<Succeeded> {
  return succeeded(await suite.processor.charge(suite.request(over), suite.call()));
}

async function held(suite: Suite, over: Partial<CardRequest> = {}): Promise<Succeeded> {
  return succeeded(await suite.processor.authorize(suite.request(over), suite.call()));
}

function succeeded(outcome: ProcessorOutcome | null): Succeeded {
  expect(outcome).toMatchObject({ status: 'succeeded' });
  return outcome as Succeeded;
}

const declinedOutcome = (kind: 'soft' | 'hard', reason: unknown = expect.stringMatching(/^[a-z][a-z0-9_]*$/)) =>
  expect.objectContaining({ status: 'declined', kind, reason, message: expect.stringMatching(/\S/) });

async function recordsOf(suite: Suite, since: Date, call = suite.call()): Promise<ProcessorRecord[]> {
  const until = new Date(suite.subject().now().getTime() + dayMs);
  const records: ProcessorRecord[] = [];
  for await (const record of suite.processor.list(since, until, call)) records.push(record);
  return records;
}

function describeCharges(suite: Suite): void {
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

  test('a saved method whose bank says no is declined, and never asks the buyer', async () => {
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

function describeKeys(suite: Suite): void {
  test('twenty sendings of one key at once are one charge, with one answer', async () => {
    const since = suite.subject().now();
    const request = suite.request();
    const sent = Array.from({ length: 20 }, () => suite.processor.charge(request, suite.call()));
    const answers = await Promise.all(sent);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const records = (await recordsOf(suite, since)).filter(({ paymentId }) => paymentId === request.paymentId);
    expect(records).toHaveLength(1);
  });

  test('twenty captures, and twenty refunds, under one key at once take the money once', async () => {
    const hold = await held(suite, { amountCents: 1_000 });
    const capture = about(suite, hold, 600);
    const captures = await Promise.all(
      Array.from({ length: 20 }, () => suite.processor.capture(capture, suite.call())),
    );
    expect(new Set(captures.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const refund = about(suite, succeeded(captures[0] ?? null), 400);
    const refunds = await Promise.all(Array.from({ length: 20 }, () => suite.processor.refund(refund, suite.call())));
    expect(new Set(refunds.map((answer) => JSON.stringify(answer))).size).toBe(1);
    succeeded(refunds[0] ?? null);
    // 200 are left of the 600: the first refund was counted once.
    succeeded(await suite.processor.refund(about(suite, succeeded(captures[0] ?? null), 200), suite.call()));
  });

  test('a decline is the answer to every later sending of its key', async () => {
    const request = suite.request({ paymentMethod: suite.cards.declinedSoft });
    const first = await suite.processor.charge(request, suite.call());
    expect(await suite.processor.charge(request, suite.call())).toEqual(first);
  });

  test.each([
    { changed: 'amount', over: { amountCents: 5_000 } },
    { changed: 'currency', over: { currency: 'eur' } },
    { changed: 'card', over: { paymentMethod: 'another card' } },
  ])('a key is refused with another $changed, and nothing is charged', async ({ over }) => {
    const since = suite.subject().now();
    const request = suite.request();
    const first = succeeded(await suite.processor.charge(request, suite.call()));
    await expect(suite.processor.charge({ ...request, ...over }, suite.call())).rejects.toThrow();
    expect(await suite.processor.lookUp(request.paymentId, suite.call())).toEqual(first);
    const records = (await recordsOf(suite, since)).filter(({ paymentId }) => paymentId === request.paymentId);
    expect(records.map(({ amountCents, currency }) => [amountCents, currency])).toEqual([[4_900, 'usd']]);
  });

  test('a key is refused for another operation', async () => {
    const request = suite.request();
    await suite.processor.charge(request, suite.call());
    await expect(suite.processor.authorize(request, suite.call())).rejects.toThrow();
  });
}

function describeHolds(suite: Suite): void {
  test('a hold says until when it can be captured, and is captured whole', async () => {
    const hold = await held(suite);
    expect(hold.captureBefore?.getTime()).toBeGreaterThan(suite.subject().now().getTime());
    succeeded(await suite.processor.capture(about(suite, hold, 4_900), suite.call()));
  });

  test('a part is captured once, and the rest is released', async () => {
    const hold = await held(suite);
    succeeded(await suite.processor.capture(about(suite, hold, 3_000), suite.call()));
    const rest = await suite.processor.capture(about(suite, hold, 1_900), suite.call());
    expect(rest).toMatchObject({ status: 'declined' });
  });

  test('of twenty captures at once with keys of their own one succeeds', async () => {
    const hold = await held(suite);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => suite.processor.capture(about(suite, hold, 4_900), suite.call())),
    );
    expect(answers.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
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
    suite.subject().passTime((hold.captureBefore?.getTime() ?? 0) - suite.subject().now().getTime());
    const outcome = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(outcome).toEqual(declinedOutcome('soft', 'hold_expired'));
  });

  test('a released hold is free: it is not captured, and released again without harm', async () => {
    const hold = await held(suite);
    succeeded(await suite.processor.release(about(suite, hold, 4_900), suite.call()));
    succeeded(await suite.processor.release(about(suite, hold, 4_900), suite.call()));
    const capture = await suite.processor.capture(about(suite, hold, 4_900), suite.call());
    expect(capture).toMatchObject({ status: 'declined' });
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
    expect(release).toMatchObject({ status: 'declined' });
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

function describeRefunds(suite: Suite): void {
  test.each(['charge', 'capture'] as const)('a %s is refunded in parts, up to its amount', async (kind) => {
    const charge =
      kind === 'charge'
        ? await charged(suite)
        : succeeded(await suite.processor.capture(about(suite, await held(suite), 4_900), suite.call()));
    succeeded(await suite.processor.refund(about(suite, charge, 1_900), suite.call()));
    const tooMuch = await suite.processor.refund(about(suite, charge, 3_001), suite.call());
    expect(tooMuch).toMatchObject({ status: 'declined' });
    succeeded(await suite.processor.refund(about(suite, charge, 3_000), suite.call()));
  });

  test('of twenty whole refunds at once with keys of their own one succeeds', async () => {
    const charge = await charged(suite);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => suite.processor.refund(about(suite, charge, 4_900), suite.call())),
    );
    expect(answers.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
  });

  test('a hold, or another currency, is not refunded', async () => {
    const hold = await suite.processor.refund(about(suite, await held(suite), 4_900), suite.call());
    expect(hold).toMatchObject({ status: 'declined' });
    const otherMoney = await suite.processor.refund(about(suite, await charged(suite), 4_900, 'eur'), suite.call());
    expect(otherMoney).toMatchObject({ status: 'declined' });
  });

  test.skipIf(suite.cards.refundDeclined === undefined)('a refund can be declined', async () => {
    const charge = await charged(suite, { paymentMethod: suite.cards.refundDeclined ?? '' });
    const outcome = await suite.processor.refund(about(suite, charge, 4_900), suite.call());
    expect(outcome).toMatchObject({ status: 'declined' });
  });

  test.skipIf(suite.cards.refundFails === undefined)(
    'a refund that fails after it was taken is a further record, is seen by look-up, and leaves the money to refund',
    async () => {
      const since = suite.subject().now();
      const charge = await charged(suite, { paymentMethod: suite.cards.refundFails ?? '' });
      const refund = about(suite, charge, 4_900);
      const taken = succeeded(await suite.processor.refund(refund, suite.call()));
      expect(await suite.processor.lookUp(refund.paymentId, suite.call())).toEqual(taken);
      const twice = await suite.processor.refund(about(suite, charge, 4_900), suite.call());
      expect(twice).toMatchObject({ status: 'declined' });
      suite.subject().passTime(dayMs);
      const failed = await suite.processor.lookUp(refund.paymentId, suite.call());
      expect(failed).toEqual(declinedOutcome('soft', 'refund_failed'));
      const records = (await recordsOf(suite, since)).filter(({ reference }) => reference === taken.reference);
      expect(records.map(({ status, paymentId }) => [status, paymentId])).toEqual([
        ['succeeded', refund.paymentId],
        ['failed', refund.paymentId],
      ]);
      expect(records[1]?.message).toMatch(/\S/);
      succeeded(await suite.processor.refund(about(suite, charge, 4_900), suite.call()));
    },
  );
}

function describeConfirmation(suite: Suite): void {
  const asked = async (method: 'authorize' | 'charge', paymentMethod: string) => {
    const request = suite.request({ paymentMethod });
    const outcome = await suite.processor[method](request, suite.call());
    if (outcome.status !== 'requires_action') throw new Error(`expected requires_action, not ${outcome.status}`);
    expect(URL.canParse(outcome.url)).toBe(true);
    return { request, outcome };
  };

  test.each(['authorize', 'charge'] as const)('%s: a buyer who confirms has paid', async (method) => {
    const { request, outcome } = await asked(method, suite.cards.confirmed);
    await suite.subject().buyerDecides(outcome.url);
    const paid = succeeded(await suite.processor.lookUp(request.paymentId, suite.call()));
    expect(paid).toMatchObject({ reference: outcome.reference, savedMethod: expect.stringMatching(/\S/) });
    if (method === 'authorize') {
      expect(paid.captureBefore?.getTime()).toBeGreaterThan(suite.subject().now().getTime());
      succeeded(await suite.processor.capture(about(suite, paid, 4_900), suite.call()));
    } else succeeded(await suite.processor.refund(about(suite, paid, 4_900), suite.call()));
  });

  test('a buyer who refuses has not paid', async () => {
    const { request, outcome } = await asked('charge', suite.cards.refused);
    await suite.subject().buyerDecides(outcome.url);
    expect(await suite.processor.lookUp(request.paymentId, suite.call())).toMatchObject({ status: 'declined' });
  });

  test('a waiting payment is given up, and cannot succeed any more', async () => {
    const { request, outcome } = await asked('charge', suite.cards.confirmed);
    const waiting = { reference: outcome.reference, amountCents: 4_900, currency: 'usd' };
    succeeded(await suite.processor.release({ paymentId: suite.paymentId(), ...waiting }, suite.call()));
    expect(await suite.processor.lookUp(request.paymentId, suite.call())).toMatchObject({ status: 'declined' });
  });

  test('a payment that the buyer confirmed before it was given up stays paid', async () => {
    const { request, outcome } = await asked('charge', suite.cards.confirmed);
    await suite.subject().buyerDecides(outcome.url);
    succeeded(await suite.processor.lookUp(request.paymentId, suite.call()));
    const waiting = { reference: outcome.reference, amountCents: 4_900, currency: 'usd' };
    const release = await suite.processor.release({ paymentId: suite.paymentId(), ...waiting }, suite.call());
    expect(release).toMatchObject({ status: 'declined' });
    succeeded(await suite.processor.lookUp(request.paymentId, suite.call()));
  });

  test('what waits cannot be captured or refunded', async () => {
    const { outcome } = await asked('authorize', suite.cards.confirmed);
    const waiting = { reference: outcome.reference, amountCents: 4_900, currency: 'usd' };
    const capture = await suite.processor.capture({ paymentId: suite.paymentId(), ...waiting }, suite.call());
    expect(capture).toMatchObject({ status: 'declined' });
    const refund = await suite.processor.refund({ paymentId: suite.paymentId(), ...waiting }, suite.call());
    expect(refund).toMatchObject({ status: 'declined' });
  });
}

function describeBooks(suite: Suite): void {
  test('look-up gives the answer of every kind of payment, and null for an id that never arrived', async () => {
    const { processor } = suite;
    const looked = async (request: { paymentId: string }) => await processor.lookUp(request.paymentId, suite.call());
    const hold = suite.request();
    const authorized = succeeded(await processor.authorize(hold, suite.call()));
    const capture = about(suite, authorized, 4_900);
    const captured = succeeded(await processor.capture(capture, suite.call()));
    const refund = about(suite, captured, 4_900);
    const refunded = await processor.refund(refund, suite.call());
    const declined = suite.request({ paymentMethod: suite.cards.declinedHard });
    const no = await processor.charge(declined, suite.call());
    expect(await Promise.all([hold, capture, refund, declined].map(looked))).toEqual([
      authorized,
      captured,
      refunded,
      no,
    ]);
    expect(await processor.lookUp(suite.paymentId(), suite.call())).toBeNull();
  });

  test('another account, and a rehearsal, do not see a payment', async () => {
    const request = suite.request();
    const since = suite.subject().now();
    const paid = succeeded(await suite.processor.charge(request, suite.call()));
    const elsewhere = [suite.call({ test: true }), suite.call({ accountId: newId('account', Date.now()) })];
    for (const call of elsewhere) {
      expect(await suite.processor.lookUp(request.paymentId, call)).toBeNull();
      expect((await recordsOf(suite, since, call)).map(({ paymentId }) => paymentId)).not.toContain(request.paymentId);
      await expect(suite.processor.refund(about(suite, paid, 4_900), call)).rejects.toThrow();
    }
  });

  test('a reference that does not exist is an error, not a decline', async () => {
    const nothing = { status: 'succeeded', reference: 'no such reference' } as const;
    for (const method of ['capture', 'refund', 'release'] as const) {
      await expect(suite.processor[method](about(suite, nothing, 100), suite.call())).rejects.toThrow();
    }
  });

  test('the list has every kind of record, once, oldest first', async () => {
    suite.subject().passTime(1_000);
    const since = suite.subject().now();
    const hold = await held(suite);
    suite.subject().passTime(1_000);
    const capture = succeeded(await suite.processor.capture(about(suite, hold, 4_000), suite.call()));
    suite.subject().passTime(1_000);
    const refund = succeeded(await suite.processor.refund(about(suite, capture, 4_000), suite.call()));
    suite.subject().passTime(1_000);
    await suite.processor.charge(suite.request({ paymentMethod: suite.cards.declinedSoft }), suite.call());
    suite.subject().passTime(1_000);
    const other = await held(suite);
    const release = succeeded(await suite.processor.release(about(suite, other, 4_900), suite.call()));
    const records = await recordsOf(suite, since);
    expect(records.map(({ kind, status, amountCents }) => [kind, status, amountCents])).toEqual([
      ['hold', 'succeeded', 4_900],
      ['capture', 'succeeded', 4_000],
      ['refund', 'succeeded', 4_000],
      ['charge', 'declined', 4_900],
      ['hold', 'succeeded', 4_900],
      ['release', 'succeeded', 4_900],
    ]);
    const references = [hold, capture, refund, other, release].map(({ reference }) => reference);
    expect(records.map(({ reference }) => reference)).toEqual(expect.arrayContaining(references));
    const times = records.map(({ recordedAt }) => recordedAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(records.map(({ message }) => message === null)).toEqual([true, true, true, false, true, true]);
  });

  test('a range begins with `from` and ends before `to`; ranges that overlap repeat their records', async () => {
    suite.subject().passTime(1_000);
    const first = suite.request();
    const start = suite.subject().now();
    await suite.processor.charge(first, suite.call());
    suite.subject().passTime(1_000);
    const middle = suite.subject().now();
    const second = suite.request();
    await suite.processor.charge(second, suite.call());
    suite.subject().passTime(1_000);
    const end = suite.subject().now();
    const between = async (from: Date, to: Date) => {
      const found: (string | null)[] = [];
      for await (const record of suite.processor.list(from, to, suite.call())) found.push(record.paymentId);
      return found;
    };
    expect(await between(start, middle)).toEqual([first.paymentId]);
    expect(await between(middle, end)).toEqual([second.paymentId]);
    expect(await between(start, end)).toEqual([first.paymentId, second.paymentId]);
    expect(await between(end, new Date(end.getTime() + 1_000))).toEqual([]);
  });
}

function describeSilence(suite: Suite): void {
  const hungUp = () => AbortSignal.abort(new Error('the deadline has passed'));

  test('a call whose deadline has passed throws, and charges nothing', async () => {
    const request = suite.request();
    const call = suite.call({ signal: hungUp() });
    await expect(suite.processor.charge(request, call)).rejects.toThrow();
    await expect(suite.processor.lookUp(request.paymentId, call)).rejects.toThrow();
    await expect(recordsOf(suite, suite.subject().now(), call)).rejects.toThrow();
    expect(await suite.processor.lookUp(request.paymentId, suite.call())).toBeNull();
  });

  test.skipIf(suite.cards.answerLost === undefined)(
    'an answer that never comes ends with the signal; look-up finds the charge, and its key gets the answer',
    async () => {
      const request = suite.request({ paymentMethod: suite.cards.answerLost ?? '' });
      const gaveUp = suite.processor.charge(request, suite.call({ signal: AbortSignal.timeout(2_000) }));
      await expect(gaveUp).rejects.toThrow();
      const found = succeeded(await suite.processor.lookUp(request.paymentId, suite.call()));
      expect(await suite.processor.charge(request, suite.call())).toEqual(found);
    },
  );

  test.skipIf(suite.cards.requestLost === undefined)(
    'a request that got lost is unknown to look-up, and arrives when it is sent again',
    async () => {
      const request = suite.request({ paymentMethod: suite.cards.requestLost ?? '' });
      const gaveUp = suite.processor.charge(request, suite.call({ signal: AbortSignal.timeout(2_000) }));
      await expect(gaveUp).rejects.toThrow();
      expect(await suite.processor.lookUp(request.paymentId, suite.call())).toBeNull();
      succeeded(await suite.processor.charge(request, suite.call()));
    },
  );
}
