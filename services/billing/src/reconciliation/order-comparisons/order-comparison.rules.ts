import type { ComparedOrder } from '@app/contracts/order-comparisons';
import { formatAmount } from '@app/money/format';

/** What billing has of an order; renewals of its subscription are not among it. */
export interface OrderPayments {
  readonly orderId: string;
  /** Whether its main payment succeeded: charged, or held. */
  readonly paid: boolean;
  readonly hold: 'held' | 'settling' | 'settled' | 'lost' | null;
  readonly currency: string | null;
  readonly chargedCents: number;
  readonly refundedCents: number;
  /** What lost disputes gave the buyer: the order stays as it was. */
  readonly lostCents: number;
  readonly subscription: 'active' | 'past_due' | 'paused' | 'canceled' | null;
  /** A payment or refund of it has no end yet, or one ended so late that checkout may not have recorded it. */
  readonly moving: boolean;
}

export type OrderVerdict =
  | { readonly kind: 'equal' }
  /** Not to be judged before its money has come to rest. */
  | { readonly kind: 'moving' }
  /** The order has not followed its payment or its hold. */
  | { readonly kind: 'follow' }
  /** It sold a subscription that is missing. */
  | { readonly kind: 'start' }
  /** It waits for held money of which nothing is recorded: its attempt is looked up at the processor, and recorded as it stands there. */
  | { readonly kind: 'lookUp' }
  | { readonly kind: 'differs'; readonly detail: string };

const equal: OrderVerdict = { kind: 'equal' };

/** Compares an order with its payments and its subscription. @param order undefined: checkout has none */
export function compareOrder(order: ComparedOrder | undefined, own: OrderPayments): OrderVerdict {
  if (own.moving) return { kind: 'moving' };
  if (order === undefined || order.status === 'authorized') return compareUnpaid(order, own);
  const money = moneyDifference(order, own);
  if (money !== null) return { kind: 'differs', detail: money };
  return compareSubscription(order, own);
}

function compareUnpaid(order: ComparedOrder | undefined, own: OrderPayments): OrderVerdict {
  // It had ended at the processor, and this database lacked it.
  if (order !== undefined && own.hold === 'lost') return { kind: 'follow' };
  if (own.paid) return order !== undefined && isHeld(own) ? equal : { kind: 'follow' };
  if (order === undefined) {
    return own.subscription === null ? equal : { kind: 'differs', detail: subscriptionWithoutOrder(own) };
  }
  return order.attempt === undefined ? { kind: 'differs', detail: notHeld(order) } : { kind: 'lookUp' };
}

/** An order that waits for held money which neither side of billing has. */
export const notHeld = (order: ComparedOrder): string =>
  `Order ${order.orderId} of ${amountOf(order)} waits for its held money, and no payment of it is recorded. Look the order up at the payment processor: nothing can be captured for it here. Release the order to end it.`;

/** Of an order that the seller's own code recorded no money is here. */
function moneyDifference(order: ComparedOrder, own: OrderPayments): string | null {
  if (order.source === 'api' || order.totalCents === 0) return null;
  const { chargedCents, refundedCents, lostCents, currency } = own;
  const kept = chargedCents - refundedCents - lostCents;
  if (order.status === 'expired') {
    return kept > 0 ? `${sides(order, own)} Give the money back, or give the buyer what it was for.` : null;
  }
  if (isHeld(own)) return `${sides(order, own)} The daily run settles the hold; compare the order with it then.`;
  if (chargedCents !== order.totalCents || currency !== order.currency) {
    return `${sides(order, own)} Compare both with what the payment processor shows, and give back what was taken too much, or end what the order gives.`;
  }
  if (order.status === 'refunded') {
    return kept > 0 ? `${sides(order, own)} Refund what is left of its payments.` : null;
  }
  if (kept === 0 && lostCents === 0) return `${sides(order, own)} Refund the order, so that it ends what it gives.`;
  return refundedCents + lostCents > order.refundedCents ? refundsMissing(order, own) : null;
}

function compareSubscription(order: ComparedOrder, own: OrderPayments): OrderVerdict {
  if (order.status === 'paid') {
    return order.subscription !== null && own.subscription === null ? { kind: 'start' } : equal;
  }
  if (own.subscription === null || own.subscription === 'canceled') return equal;
  return {
    kind: 'differs',
    detail: `Order ${order.orderId} is ${order.status}, and its subscription is ${own.subscription}. Cancel the subscription if the buyer is to pay no more.`,
  };
}

const isHeld = ({ hold }: OrderPayments): boolean => hold === 'held' || hold === 'settling';

/* What sellers read: both sides, and what to do. */

const amountOf = ({ totalCents, currency }: ComparedOrder): string => formatAmount(totalCents, currency);

function sides(order: ComparedOrder, own: OrderPayments): string {
  return `Order ${order.orderId} is ${order.status} with ${amountOf(order)}, and of its payments ${paidText(own)}.`;
}

function paidText(own: OrderPayments): string {
  const { chargedCents, refundedCents, lostCents, currency } = own;
  if (isHeld(own)) return 'the money is only held';
  if (currency === null || chargedCents === 0) return 'none took money';
  const charged = `${formatAmount(chargedCents, currency)} was charged`;
  const lost = lostCents === 0 ? '' : `, ${formatAmount(lostCents, currency)} lost to disputes`;
  const given = refundedCents === 0 ? '' : ` and ${formatAmount(refundedCents, currency)} given back`;
  return `${charged}${given}${lost}`;
}

const refundsMissing = (order: ComparedOrder, own: OrderPayments): string =>
  `${sides(order, own)} The order shows ${formatAmount(order.refundedCents, order.currency)} as given back: the difference is missing in its commission and in metrics. Write to the operator of the platform, who has to check its dead letters.`;

const subscriptionWithoutOrder = ({ orderId, subscription }: OrderPayments): string =>
  `A subscription (${subscription}) belongs to order ${orderId}, and there is no such order. Cancel the subscription if it was not bought.`;

/** An order that could not follow its payment. @param order undefined: checkout has none */
export function notFollowed(order: ComparedOrder | undefined, own: OrderPayments): string {
  if (order !== undefined) {
    return `${sides(order, own)} The order could not follow them: look its payments up, and give back what was not bought.`;
  }
  return `Of the payments of order ${own.orderId} ${paidText(own)}, and there is no such order. Look it up at the payment processor: give the money back, or record the sale as an order.`;
}
