import { entriesOf } from '@app/billing/stripe-entries';
import type { PaymentIntent, SetupIntent } from '@app/billing/stripe-objects';
import type { Entry, Payment } from './payment-rows.ts';
import type { World } from './world.ts';

type StripeBooks = ReturnType<World['stripe']['booksOf']>;
type StripeEntry = ReturnType<typeof entriesOf>[number];

/** Whoever ended a hold at Stripe itself is no payment of ours. */
export const endedThere = 'unknown';

/**
 * The books of all Stripe accounts, in the words of the simulated processor's. What a seller did at Stripe's Dashboard names no payment there: it
 * stands under the payment of billing that has its reference, if there is one.
 */
export function stripeEntries(
  { stripe, shops }: Pick<World, 'stripe' | 'shops'>,
  payments: readonly Payment[],
): Entry[] {
  return shops.flatMap(({ seller, stripe: keys }) => {
    if (keys === undefined) return [];
    const books = stripe.booksOf(keys.secretKey);
    books.pass();
    const own = payments.filter(({ account_id }) => account_id === seller.accountId);
    const byReference = new Map(own.map(({ reference, id }) => [reference, id]));
    // To cancel takes no metadata: these requested it.
    const releases = Map.groupBy(
      own.filter(({ call }) => call === 'release'),
      ({ about }) => about ?? '',
    );
    const releasing = new Map([...releases].map(([about, all]) => [about, new Set(all.map(({ id }) => id))]));
    return entriesOf(books, seller.accountId, releasing).map((entry) => {
      const paymentId = entry.paymentId === '' ? byReference.get(entry.reference) : entry.paymentId;
      return entryOf(books, seller.accountId, { ...entry, paymentId: paymentId ?? '' });
    });
  });
}

function entryOf(books: StripeBooks, accountId: string, entry: StripeEntry): Entry {
  const [intentId = '', chargeId = ''] = entry.reference.split('/');
  const object = books.objects.get(intentId) as PaymentIntent | undefined;
  const taking = chargeId === 'release' ? '' : chargeId || (object?.latest_charge ?? '');
  const { cancellation_reason: why, status } = (object ?? {}) as Partial<PaymentIntent>;
  const setup = entry.kind === 'method' ? (object as unknown as SetupIntent) : undefined;
  return {
    ...{ payment_id: entry.paymentId, reference: entry.reference, kind: entry.kind },
    status: entry.status,
    // A card that is saved has no currency there, nor has the end of one that was not.
    ...{ amount_cents: entry.amountCents, currency: intentId.startsWith('seti_') ? null : entry.currency },
    ...{ order_id: entry.orderId, account_id: accountId },
    ...{ test: false, about: entry.about },
    taken_cents: object?.amount_received ?? 0,
    released: entry.kind === 'hold' && status === 'canceled' && why !== 'automatic',
    recorded_at: new Date((object?.created ?? 0) * 1_000),
    saved_method: setup?.status === 'succeeded' ? `${setup.customer}/${setup.payment_method}` : null,
    lost_cents: entry.kind === 'charge' || entry.kind === 'capture' ? books.takenOf(taking) : 0,
    at_stripe: true,
  };
}
