import type { BookEntry } from '../../src/processors/simulated/simulated-books.ts';
import type { StripeBooks } from './books.ts';
import type { Charge, PaymentIntent, Refund, SetupIntent, StripeObject } from './objects.ts';

/** Who requested the end of an intent: to cancel takes no metadata, so its books do not say. */
export type Releases = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The account's entries in Stripe's books, as the simulated processor has its own.
 * @param releases ids of the payments that were to end an intent, by its id
 */
export function entriesOf(books: StripeBooks, accountId: string, releases: Releases): BookEntry[] {
  const isOurs = ({ metadata }: { readonly metadata: Record<string, string> }) =>
    metadata.funnelry_account === accountId;
  const intents = books.all<PaymentIntent>('payment_intent').filter(isOurs);
  const saved = books.all<SetupIntent>('setup_intent').filter(isOurs);
  const refunds = books.all<Refund & StripeObject & { metadata: Record<string, string> }>('refund');
  return [
    ...intents.map((intent) => ofIntent(intent)),
    ...saved.map((intent) => ofSetup(intent)),
    ...intents.flatMap((intent) => captureOf(books, intent)),
    ...[...intents, ...saved].flatMap((intent) => releasesOf(intent, releases)),
    ...intents.flatMap((intent) =>
      refunds.filter(({ payment_intent }) => payment_intent === intent.id).map((refund) => ofRefund(intent, refund)),
    ),
  ];
}

const common = { test: false, sendings: 1 };

const orderOf = ({ metadata }: PaymentIntent | SetupIntent): string => metadata.funnelry_order ?? '';
const isHold = ({ capture_method }: PaymentIntent): boolean => capture_method === 'manual';
const reasonOf = (error: unknown): string | null => (error as { readonly code?: string } | null)?.code ?? null;

function ofIntent(intent: PaymentIntent): BookEntry {
  const { id, status, amount: amountCents, currency, metadata, latest_charge } = intent;
  const { last_payment_error, cancellation_reason } = intent;
  const waits = status === 'requires_action';
  return {
    ...{ ...common, paymentId: metadata.funnelry_payment ?? '', orderId: orderOf(intent), reference: id, about: null },
    kind: isHold(intent) ? 'hold' : 'charge',
    // One that was ended later had succeeded all the same.
    status: latest_charge !== null ? 'succeeded' : waits ? 'requires_action' : 'declined',
    reason: cancellation_reason === 'automatic' ? 'hold_expired' : reasonOf(last_payment_error),
    ...{ amountCents, currency },
  };
}

function ofSetup(intent: SetupIntent): BookEntry {
  const { id, status, metadata, last_setup_error } = intent;
  const ends = { succeeded: 'succeeded', requires_action: 'requires_action' } as const;
  return {
    ...{ ...common, paymentId: metadata.funnelry_payment ?? '', orderId: orderOf(intent), reference: id, about: null },
    kind: 'method',
    status: ends[status as keyof typeof ends] ?? 'declined',
    ...{ reason: reasonOf(last_setup_error), amountCents: 0, currency: '' },
  };
}

function captureOf(books: StripeBooks, intent: PaymentIntent): BookEntry[] {
  const charge = books.objects.get(intent.latest_charge ?? '') as Charge | undefined;
  if (!isHold(intent) || charge?.captured !== true) return [];
  return [
    {
      ...{ ...common, paymentId: intent.metadata.funnelry_capture ?? '', orderId: orderOf(intent), kind: 'capture' },
      ...{ status: 'succeeded', reason: null, reference: `${intent.id}/${charge.id}`, about: intent.id },
      ...{ amountCents: intent.amount_received, currency: intent.currency },
    },
  ];
}

/**
 * What was ended without a request to end it, and had held money, is an entry that no payment explains. A hold that Stripe ended
 * is no longer released.
 */
function releasesOf(intent: PaymentIntent | SetupIntent, releases: Releases): BookEntry[] {
  if (intent.status !== 'canceled') return [];
  const [amountCents, currency] = 'amount' in intent ? [intent.amount, intent.currency] : [0, ''];
  const held = 'latest_charge' in intent && intent.latest_charge !== null;
  if (held && intent.cancellation_reason === 'automatic') return [];
  const payments = [...(releases.get(intent.id) ?? (held ? ['unknown'] : []))];
  return payments.map((paymentId) => ({
    ...{ ...common, paymentId, orderId: orderOf(intent), kind: 'release', status: 'succeeded', reason: null },
    ...{ reference: `${intent.id}/release`, about: intent.id, amountCents, currency },
  }));
}

function ofRefund(
  intent: PaymentIntent,
  { id, status, amount: amountCents, charge, metadata }: Refund & { metadata: Record<string, string> },
): BookEntry {
  const about = isHold(intent) ? `${intent.id}/${charge}` : intent.id;
  return {
    ...{ ...common, paymentId: metadata.funnelry_payment ?? '', orderId: orderOf(intent), kind: 'refund' },
    status: status === 'failed' ? 'failed' : 'succeeded',
    ...{ reason: null, reference: id, about, amountCents, currency: intent.currency },
  };
}
