import { newId } from '@app/contracts/ids';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import {
  about,
  type ConformanceSubject,
  charged,
  held,
  recordsOf,
  succeeded,
  suiteOf,
} from '../processors/conformance/suite.ts';
import { testMethods } from './test-methods.ts';

/** A Stripe account in its test mode, and the adapter at it. */
export interface AccountSubject extends ConformanceSubject {
  readonly apiUrl: string;
  readonly processor: StripeProcessor;
  readonly secretKey: string;
  readonly publishableKey: string | undefined;
  readonly restrictedKey: string | undefined;
}

const cards = { ...testMethods, refused: '', laterConfirmed: '' };

/** What Stripe's account, its Dashboard and its browser script bring about: no other processor has these. */
export function describeAccount(open: () => Promise<AccountSubject>): void {
  describe('a Stripe account', () => {
    let subject: AccountSubject;
    let seller: Stripe;
    beforeAll(async () => {
      subject = await open();
      seller = atStripe(subject);
    });
    afterAll(() => subject.close());
    const suite = suiteOf(cards, () => subject);

    describe('payments', () => {
      test('a confirmation token, as the buyer’s browser makes it, pays once and saves its card; used again it is declined', async () => {
        const token = await seller.testHelpers.confirmationTokens.create({ payment_method: cards.works });
        const paid = await charged(suite, { paymentMethod: token.id });
        expect(paid.savedMethod).toMatch(/^cus_\w+\/pm_\w+$/);
        const again = await suite.processor.charge(suite.request({ paymentMethod: token.id }), suite.call());
        expect(again).toMatchObject({ status: 'declined', reason: 'invalid_payment_method' });
      });

      test('an order whose customer was deleted in the Dashboard is charged to a new one', async () => {
        const orderId = newId('order', Date.now());
        const first = await charged(suite, { orderId });
        const [customer = ''] = (first.savedMethod ?? '').split('/');
        await seller.customers.del(customer);
        const next = await charged(suite, { orderId });
        expect(next.savedMethod?.split('/')[0]).not.toBe(customer);
      });

      test('a card that was removed in the Dashboard is declined, and not charged again', async () => {
        const { savedMethod = '' } = await charged(suite);
        await seller.paymentMethods.detach(savedMethod.split('/')[1] ?? '');
        const { paymentMethod: _, returnUrl: __, ...request } = suite.request();
        const renewal = await suite.processor.chargeSaved({ ...request, savedMethod }, suite.call());
        expect(renewal).toMatchObject({ status: 'declined', kind: 'hard' });
      });

      test('of a hold a part is captured, the rest is released, and the list says what Stripe kept', async () => {
        const since = suite.subject().now();
        const hold = await held(suite);
        const part = succeeded(await suite.processor.capture(about(suite, hold, 1_500), suite.call()));
        const { status, amount_received } = await seller.paymentIntents.retrieve(hold.reference);
        expect([status, amount_received]).toEqual(['succeeded', 1_500]);
        const [record] = (await recordsOf(suite, since)).filter(({ reference }) => reference === part.reference);
        expect(record).toMatchObject({ kind: 'capture', amountCents: 1_500, currency: 'usd' });
        expect(record?.fees).toEqual([
          { amountCents: expect.any(Number), currency: expect.stringMatching(/^[a-z]{3}$/) },
        ]);
      });
    });

    describe('keys and endpoints', () => {
      test('it is known whose the secret key is, and that it may do everything', async ({ skip }) => {
        const { publishableKey } = subject;
        if (publishableKey === undefined) return skip('STRIPE_TEST_PUBLISHABLE_KEY is not set');
        const owner = await subject.processor.keyOwner(suite.call(), publishableKey);
        expect(owner).toMatchObject({ account: expect.stringMatching(/^acct_/), missingPermissions: [] });
        expect(owner.fitsPublishableKey).toBe(true);
      });

      test('what a restricted key may not do is named', async ({ skip }) => {
        const { restrictedKey, publishableKey = '' } = subject;
        if (restrictedKey === undefined) return skip('STRIPE_TEST_RESTRICTED_KEY is not set');
        const owner = await subject.processor.keyOwner(suite.call({ secretKey: restrictedKey }), publishableKey);
        expect(owner.account).toMatch(/^acct_/);
        for (const lacks of owner.missingPermissions) expect(lacks).toMatch(/^[A-Z][\w ]+: (read|write)$/i);
      });

      test('a domain is registered for wallets, is found by its name, and is switched off: Stripe deletes none', async () => {
        const { domains } = subject.processor;
        const name = `check-${newId('payment', Date.now()).slice(-8)}.example.com`;
        const made = await domains.create(suite.call(), `check ${name}`, name);
        try {
          expect(await domains.find(suite.call(), name)).toMatchObject({ id: made.id, name, isEnabled: true });
        } finally {
          await seller.paymentMethodDomains.update(made.id, { enabled: false });
        }
        expect(await domains.find(suite.call(), name)).toMatchObject({ id: made.id, isEnabled: false });
      });

      test('a webhook endpoint is made with its secret, is listed, and is deleted', async () => {
        const { endpoints } = subject.processor;
        const wanted = {
          url: 'https://shop.example.com/api/processors/stripe/check',
          events: ['refund.failed'] as const,
        };
        const made = await endpoints.create(suite.call(), `check ${newId('payment', Date.now())}`, wanted);
        expect(made.secret).toMatch(/^whsec_/);
        try {
          const [listed] = (await endpoints.list(suite.call())).filter(({ id }) => id === made.id);
          expect(listed).toMatchObject({ ...wanted, isMadeForUs: true, isEnabled: true });
        } finally {
          await endpoints.delete(suite.call(), made.id);
        }
        expect((await endpoints.list(suite.call())).map(({ id }) => id)).not.toContain(made.id);
      });
    });
  });
}

/** What the seller does at Stripe beside the platform. */
function atStripe({ apiUrl, secretKey }: AccountSubject): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl);
  const isHttps = protocol === 'https:';
  return new Stripe(secretKey, {
    host: hostname,
    port: port === '' ? (isHttps ? 443 : 80) : Number(port),
    protocol: isHttps ? 'https' : 'http',
    telemetry: false,
  });
}
