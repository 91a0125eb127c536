import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import { formatAmount } from '@app/money/format';
import {
  type Preview,
  type PreviewDefinition,
  type PreviewedCall,
  type ResultOf,
  withAmount,
  withoutAmount,
} from './preview.ts';

interface Money {
  readonly currency: string;
  readonly cents: number;
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, cents) => sum + cents, 0);

/** One amount for each currency. */
function inWords(amounts: readonly Money[]): string {
  const byCurrency = Map.groupBy(amounts, ({ currency }) => currency);
  const sums = [...byCurrency].map(([currency, parts]) =>
    formatAmount(sumOf(parts.map(({ cents }) => cents)), currency),
  );
  return sums.length === 0 ? 'nothing' : sums.join(' and ');
}

/** What moves money, ends a source of it, or records it as moved. */
export const moneyPreviews: Readonly<Record<string, PreviewDefinition>> = {
  refundOrder: withAmount(refund),
  refundPayment: withAmount(paymentRefund),
  releaseOrder: withoutAmount(release),
  createPayout: withAmount(payout),
  runDailyJob: withAmount(dailyJob),
  cancelSubscription: withoutAmount(cancellation),
  advanceRehearsal: withoutAmount(advance),
};

async function refund({ params, body, read }: PreviewedCall): Promise<Preview> {
  const { orderId } = params;
  const { renewals = false } = body;
  const [preview, order] = await Promise.all([
    read('previewRefund', { orderId }, { renewals }),
    read('getOrder', { orderId }),
  ]);
  if (!preview.possible) throw refundRefusal(order);
  const going = preview.charges.filter(({ refundCents }) => refundCents > 0);
  const amountCents = sumOf(going.map(({ refundCents }) => refundCents));
  const kept = sumOf(
    preview.charges
      .filter(({ renewal }) => renewal && !renewals)
      .map((charge) => charge.amountCents - charge.refundedCents),
  );
  const { subscription, commissions, emails, webhooks } = preview;
  const words = [
    refundWords(amountCents, going.length, preview.charges.length, order.currency),
    kept > 0 ? `Renewals of ${formatAmount(kept, order.currency)} stay with the seller (renewals: true).` : '',
    subscription === null ? '' : 'The subscription ends.',
    commissions.length === 0 ? '' : `Commission of ${inWords(commissionsOf(commissions))} is taken back.`,
    'It cannot be undone.',
  ];
  return {
    detail: words.filter((sentence) => sentence !== '').join(' '),
    amountCents,
    currency: order.currency,
    facts: { ...aboutOrder(order), charges: going, subscription, commissions, emails, webhooks },
  };
}

async function paymentRefund({ params: { paymentId }, body, read }: PreviewedCall): Promise<Preview> {
  const { order_id: orderId } = await read('getPayment', { paymentId });
  const [{ charges }, order] = await Promise.all([
    read('previewRefund', { orderId }, { renewals: true }),
    read('getOrder', { orderId }),
  ]);
  const charge = charges.find((one) => one.paymentId === paymentId);
  if (charge === undefined)
    throw new DomainError('invalid_transition', 'This payment took no money: there is nothing to refund.');
  const { currency, renewal } = charge;
  const left = charge.amountCents - charge.refundedCents;
  if (left > 0 && charge.refundCents === 0)
    throw new DomainError('payment_disputed', 'The buyer’s bank disputes this payment: nothing is refunded.');
  const amountCents = (body.amountCents as number | undefined) ?? left;
  if (left === 0 && body.amountCents !== undefined)
    throw new DomainError('already_refunded', 'All of this payment went back before.');
  if (amountCents > left)
    throw invalidField(
      'amountCents',
      `must be at most ${left}: ${formatAmount(left, currency)} is left of this payment`,
    );
  const of = `${formatAmount(charge.amountCents, currency)}${renewal ? ', a renewal' : ''}`;
  const stays =
    amountCents < left ? ` ${formatAmount(left - amountCents, currency)} stays, and the order stays paid.` : '';
  return {
    detail:
      left === 0
        ? 'No money moves: nothing is left to give back.'
        : `${formatAmount(amountCents, currency)} goes back to the buyer’s card, of ${of}.${stays} It cannot be undone.`,
    amountCents,
    currency,
    facts: { ...aboutOrder(order), charge },
  };
}

function refundWords(cents: number, goingBack: number, charges: number, currency: string): string {
  if (charges === 0) return 'No money moves: the sale was only recorded, and is marked as refunded.';
  if (cents === 0) return 'No money moves: nothing is left to give back.';
  const of = goingBack === 1 ? 'one charge' : `${goingBack} charges`;
  return `${formatAmount(cents, currency)} goes back to the buyer’s card, of ${of}.`;
}

const commissionsOf = (commissions: readonly { readonly currency: string; readonly amountCents: number }[]): Money[] =>
  commissions.map(({ currency, amountCents: cents }) => ({ currency, cents }));

function refundRefusal({ status, dispute }: { readonly status: string; readonly dispute: string | null }): DomainError {
  if (status === 'authorized')
    return new DomainError('invalid_transition', 'The card is held and not charged: release the hold instead.');
  if (status === 'expired')
    return new DomainError('invalid_transition', 'The order ended without a charge: there is nothing to refund.');
  if (dispute === 'open')
    return new DomainError(
      'payment_disputed',
      'The buyer’s bank disputes a payment of the order: nothing is refunded.',
    );
  return new DomainError(
    'invalid_transition',
    'A payment of the order has no outcome yet: refund it when list_payments shows how it ended.',
  );
}

const aboutOrder = (order: ResultOf<'getOrder'>) => ({
  orderId: order.id,
  status: order.status,
  buyer: { name: order.customer_name, email: order.customer_email },
  items: order.items,
  test: order.test,
});

async function release({ params: { orderId }, read }: PreviewedCall): Promise<Preview | null> {
  const order = await read('getOrder', { orderId });
  // Releasing again answers the same again.
  if (order.status === 'expired') return null;
  if (order.status !== 'authorized')
    throw new DomainError('invalid_transition', `Only a held order is released; this one is ${order.status}.`);
  return {
    detail: `The sale of ${formatAmount(order.total_cents, order.currency)} is lost: nothing is charged, and the money that is held on the buyer’s card is free again. It cannot be undone.`,
    facts: aboutOrder(order),
  };
}

async function payout({ params: { code }, query, body, read }: PreviewedCall): Promise<Preview> {
  const { includePending = false } = query;
  const [{ balances }, { name, email }] = await Promise.all([
    read('getAffiliateStatement', { code }, { limit: 1 }),
    read('getAffiliate', { code }),
  ]);
  const payable = balances
    .map(({ currency, due_cents, pending_cents }) => ({
      currency,
      cents: due_cents + (includePending ? pending_cents : 0),
    }))
    .filter(({ cents, currency }) => cents > 0 && currency === (body.currency ?? currency));
  const [paid, ...others] = payable;
  if (paid === undefined) throw new DomainError('nothing_due', `No commission of the affiliate "${code}" is due yet.`);
  if (others.length > 0) {
    const names = payable.map(({ currency }) => currency).join(', ');
    throw invalidField('currency', `must be a currency in which commissions are due: ${names}`);
  }
  const affiliate = { code, name, email };
  return {
    detail: `${inWords([paid])}, all that is due${includePending ? ' and pending' : ''}, is recorded as paid to the affiliate. No money moves: the seller pays it elsewhere. It cannot be undone.`,
    amountCents: paid.cents,
    currency: paid.currency,
    facts: { affiliate, balances },
    // Each sale changes what is pending.
    agreed: { affiliate },
  };
}

async function dailyJob({ body, read }: PreviewedCall): Promise<Preview> {
  const planned = await read('previewDailyRun', {}, { limit: 10 });
  const { totals, charge_limit: limit, unmatched_payments: unmatched } = planned;
  const stopped = unmatched > 0 && body.confirmUnmatchedPayments !== true;
  const waiting: Money[] = limit.currencies.map((one) => ({
    currency: one.currency,
    cents: one.waiting_cents,
  }));
  const planFor = [totals.renewals, totals.retries, totals.settlements].flatMap(({ amounts }) => amounts);
  const amounts = stopped
    ? []
    : [...planFor, ...totals.look_up_amounts, ...(body.force === true && limit.exceeded ? waiting : [])];
  const taken = amounts.filter(({ cents }) => cents > 0);
  const currencies = new Set(taken.map(({ currency }) => currency));
  const words = [
    stopped
      ? 'Nothing is charged: the payment processor shows payments that the platform does not know. Look them up first (confirmUnmatchedPayments).'
      : `At most ${inWords(taken)} is charged: ${count(totals.renewals, 'renewal')}, ${count(totals.retries, 'retry', 'retries')}, ${count(totals.settlements, 'held order')}.`,
    totals.cancellations > 0 ? `${totals.cancellations} subscriptions end as they were canceled.` : '',
    totals.reminders > 0 ? `${totals.reminders} buyers get a reminder of their checkout.` : '',
    limit.exceeded && body.force !== true ? `${inWords(waiting)} more is due, and waits (force: true).` : '',
  ];
  return {
    detail: words.filter((sentence) => sentence !== '').join(' '),
    amountCents: sumOf(taken.map(({ cents }) => cents)),
    currency: currencies.size === 1 ? (taken[0]?.currency ?? null) : null,
    facts: { totals, charge_limit: limit, unmatched_payments: unmatched, first: planned.data },
    // Buyers leave and come back to checkouts all the time.
    agreed: { unmatched, first: planned.data.filter(({ kind }) => kind !== 'reminder') },
  };
}

const count = (of: { readonly count: number }, one: string, many = `${one}s`): string =>
  `${of.count} ${of.count === 1 ? one : many}`;

async function cancellation({ params: { subscriptionId }, body, read }: PreviewedCall): Promise<Preview | null> {
  const subscription = await read('getSubscription', { subscriptionId });
  const { status, cancel_at, current_period_end, amount_cents, currency, billing_interval } = subscription;
  const later = body.at === 'period_end' && status === 'active';
  if (status === 'canceled' || (later && cancel_at !== null)) return null;
  const price = `${formatAmount(amount_cents, currency)} a ${billing_interval}`;
  return {
    detail: later
      ? `The subscription of ${price} ends at ${current_period_end}, instead of renewing; until then keep_subscription undoes it. No money moves.`
      : `The subscription of ${price} ends now, for good. No money moves: what was paid stays paid.`,
    facts: {
      buyer: { email: subscription.customer_email },
      product: subscription.product_name,
      status,
      price: { amount_cents, currency, billing_interval },
      paidUntil: current_period_end,
      test: subscription.test,
    },
  };
}

async function advance({ body, read }: PreviewedCall): Promise<Preview> {
  const { now, days_ahead } = await read('getRehearsal');
  const until = new Date(Date.parse(now) + Number(body.days) * 86_400_000).toISOString();
  return {
    detail: `The time of test subscriptions goes from ${now} to ${until}, with every daily job between: their renewals, declines and ends reach the webhooks, marked as tests. No money moves. The time does not go back.`,
    facts: { now, until },
    agreed: { days_ahead },
  };
}
