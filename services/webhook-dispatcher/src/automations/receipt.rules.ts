import { cardWallet } from '@app/contracts/card-wallets';
import { orderNumber } from '@app/contracts/order-number';
import type { Payload } from '@app/contracts/triggers';
import type {
  OrderPaidPayload,
  SubscriptionRebilledPayload,
  UpsellAcceptedPayload,
} from '@app/contracts/webhook-payloads';
import type { LetterLine, LetterReceipt } from '@app/email/letter';
import { shownAmount } from '@app/money/format';

type Item = OrderPaidPayload['items'][number];

/**
 * What was bought or renewed, as a receipt lists it; null for an event that is no payment. Payloads that were stored by an earlier version
 * have no items: the product and the total stand for them.
 * @param isLinked whether the email has the product's link by itself
 */
export function receiptOf(payload: Payload, isLinked: boolean): LetterReceipt | null {
  if (payload.event === 'subscription.rebilled') return renewalOf(payload as Partial<SubscriptionRebilledPayload>);
  if (payload.event !== 'order.paid') return null;
  const order = payload as Partial<OrderPaidPayload>;
  return {
    ...soldOf(order, order.total, ({ kind, accessUrl }) => (kind === 'main' && isLinked ? '' : accessUrl)),
    facts: [
      ['Date', dayOf(order.sentAt ?? '')],
      ['Paid with', cardOf(order)],
      ['Order', orderNumber(order.orderId ?? '')],
      ['You agreed', order.immediateAccess ?? ''],
    ].filter((fact): fact is [string, string] => fact[1] !== ''),
  };
}

/** What was bought with its amounts and the total, as the receipt has it, and nowhere to find it; null for an event that lists nothing. */
export function itemsOf(payload: Payload): LetterReceipt | null {
  if (payload.event === 'order.paid') {
    const order = payload as Partial<OrderPaidPayload>;
    return { ...soldOf(order, order.total, nowhere), facts: [] };
  }
  if (payload.event !== 'upsell.accepted') return null;
  const accepted = payload as Partial<UpsellAcceptedPayload>;
  return { ...soldOf({ ...accepted, product: accepted.upsell }, accepted.amount, nowhere), facts: [] };
}

const nowhere = (): string => '';

interface Sold {
  readonly items?: readonly Item[] | undefined;
  readonly product?: string | undefined;
  readonly currency?: string | undefined;
}

function soldOf(
  { items = [], product = '', currency = 'usd' }: Sold,
  total: string | undefined,
  urlOf: (item: Item) => string,
): Pick<LetterReceipt, 'lines' | 'total'> {
  const lines = items.map((item) => ({ ...lineOf(item, currency), url: urlOf(item) }));
  return {
    lines: lines.length > 0 ? lines : [{ label: product, amount: total ?? '' }],
    total: { label: 'Total', amount: total ?? '' },
  };
}

function renewalOf(renewal: Partial<SubscriptionRebilledPayload>): LetterReceipt {
  const { product = '', amount = '', periodStart = '', periodEnd = '', sentAt = '', orderId = '' } = renewal;
  const [from, to] = [dayOf(periodStart), dayOf(periodEnd)];
  return {
    lines: [{ label: product, amount }],
    total: { label: 'Total', amount },
    facts: [
      ['Date', dayOf(sentAt)],
      ['Paid with', cardOf(renewal)],
      ['Order', orderNumber(orderId)],
      ['Paid for', from === '' || to === '' ? '' : `${from} to ${to}`],
    ].filter((fact): fact is [string, string] => fact[1] !== ''),
  };
}

function lineOf({ kind, label, amountCents }: Item, currency: string): LetterLine {
  const named = kind === 'discount' && label !== notCharged ? `Discount (${label})` : label;
  return { label: named, amount: shownAmount(amountCents, currency) };
}

/** What checkout calls the part of a hold that the seller left. */
const notCharged = 'Not charged';

/** As the email reads it, whatever the reader's zone: in UTC, as all days of the platform. */
export function dayOf(time: string): string {
  if (Number.isNaN(Date.parse(time))) return '';
  return days.format(new Date(time));
}
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

const wallets = { apple_pay: 'Apple Pay', google_pay: 'Google Pay' } as const;

function cardOf({ lastFour = '', wallet = '' }: Partial<Pick<OrderPaidPayload, 'lastFour' | 'wallet'>>): string {
  const known = cardWallet.safeParse(wallet);
  if (!known.success) return lastFour === '' ? '' : `Card ending in ${lastFour}`;
  return lastFour === '' ? wallets[known.data] : `${wallets[known.data]} ···· ${lastFour}`;
}

/**
 * How what was bought reaches its buyer where no link leads to it, in a sentence; empty where each has a link, and for payloads that were
 * stored without items.
 */
export function deliveryOf({ items }: Payload, shop: string): string {
  const bought = boughtOf(items);
  const others = bought.filter(({ accessUrl }) => accessUrl === '').map(({ label }) => label);
  if (others.length === 0) return '';
  const ifNothing = 'If you hear nothing, reply to this email.';
  if (others.length === bought.length)
    return `${shop} will send you what you bought, or tell you how to get it. ${ifNothing}`;
  const it = others.length === 1 ? 'it' : 'them';
  return `${others.join(', ')}: ${shop} will send ${it} to you, or tell you how to get ${it}. ${ifNothing}`;
}

/** What the receipt's button opens, by the field of its link; none where it opens all that was bought. */
export function accessLabels({ items }: Payload): Readonly<Record<string, string>> {
  const [first, ...others] = boughtOf(items);
  return first === undefined || others.length === 0 ? {} : { accessUrl: `Open ${first.label}` };
}

/** The items without what was taken off, the product first. */
const boughtOf = (items: unknown): readonly Item[] =>
  Array.isArray(items) ? (items as Item[]).filter(({ kind }) => kind !== 'discount') : [];

/** What was bought in one line, without what was taken off. */
export const boughtLine = ({ items }: Payload): string =>
  boughtOf(items)
    .map(({ label }) => label)
    .join(', ');
