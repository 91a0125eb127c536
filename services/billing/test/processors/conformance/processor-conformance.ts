import { afterAll, beforeAll, describe } from 'vitest';
import { describeBooks } from './books.ts';
import { describeCharges } from './charges.ts';
import { describeConfirmation } from './confirmation.ts';
import { describeDisputes } from './disputes.ts';
import { describeHolds } from './holds.ts';
import { describeKeys } from './keys.ts';
import { describeRefunds } from './refunds.ts';
import { describeSaving } from './saving.ts';
import { describeSilence } from './silence.ts';
import { type ConformanceCards, type ConformanceSubject, suiteOf } from './suite.ts';

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
    describe('cards that are saved', () => describeSaving(suite));
    describe('keys', () => describeKeys(suite));
    describe('holds', () => describeHolds(suite));
    describe('refunds', () => describeRefunds(suite));
    describe('disputes', () => describeDisputes(suite));
    describe('confirmation by the buyer', () => describeConfirmation(suite));
    describe('books', () => describeBooks(suite));
    describe('silence', () => describeSilence(suite));
  });
}
