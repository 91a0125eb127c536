import { money } from '../../components/lines.ts';
import { type Row, rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { testBadge } from './badges.ts';
import { eventLabel } from './event-names.ts';
import { when } from './times.ts';
import type { Body } from './visit.ts';

export type LoggedEvent = Body<'listEvents'>['data'][number];
type Payload = LoggedEvent['payload'];

/** The page of what an event is about, by the first of these fields that its payload has. */
const pages: readonly (readonly [field: string, start: string])[] = [
  ['subscriptionId', '/app/subscriptions/'],
  ['orderId', '/app/orders/'],
  ['affiliate', '/app/affiliates/code/'],
  ['productId', '/app/products/'],
];

const textOf = (payload: Payload, field: string): string => {
  const value = payload?.[field];
  return typeof value === 'string' ? value : '';
};

/** Where an event leads: to what it is about, or to its deliveries where its payload is kept no more. */
export function eventPath({ id, payload }: LoggedEvent): string {
  const found = pages.find(([field]) => textOf(payload, field) !== '');
  if (found === undefined) return `/app/activity/deliveries?eventId=${id}`;
  return `${found[1]}${encodeURIComponent(textOf(payload, found[0]))}`;
}

/** Each with what it is about. */
export const eventRows = (events: readonly LoggedEvent[], formats: Formats): Html =>
  rows(events.map((event) => eventRow(event, formats)));

const eventRow = (event: LoggedEvent, formats: Formats): Row => ({
  href: eventPath(event),
  title: eventLabel(event.event),
  detail: joined([when(event.occurred_at, formats), ...about(event.payload)], ' · '),
  end: amount(event.payload, formats),
  badges: [testBadge(event)],
});

/** Of one moment: what follows from a refund is recorded with it, or seconds later. */
const togetherMs = 60_000;

/**
 * Without what only follows from another event of the list: the payments of an order that was refunded as a whole, and the end
 * of its subscription. A receiver of webhooks needs each; who reads what happened needs the refund once.
 */
export function withoutConsequences(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const refunds = events.filter(({ event }) => event === 'order.refunded');
  return events.filter((each) => !refunds.some((refund) => followsFrom(each, refund)));
}

function followsFrom(each: LoggedEvent, refund: LoggedEvent): boolean {
  if (Math.abs(Date.parse(each.occurred_at) - Date.parse(refund.occurred_at)) > togetherMs) return false;
  const isOfBoth = (field: string) =>
    textOf(each.payload, field) !== '' && textOf(each.payload, field) === textOf(refund.payload, field);
  if (each.event === 'payment.refunded') return isOfBoth('orderId');
  return each.event === 'subscription.canceled' && isOfBoth('email') && isOfBoth('product');
}

/** With whom it happened, and with what. */
function about(payload: Payload): Html[] {
  const known = ['email', 'product', 'upsell'].map((field) => textOf(payload, field)).filter((text) => text !== '');
  return known.map((text) => html`<bdi>${text}</bdi>`);
}

function amount(payload: Payload, formats: Formats): Html {
  const cents = payload?.amountCents ?? payload?.totalCents;
  const currency = textOf(payload, 'currency');
  return typeof cents === 'number' && currency !== '' ? money(formats.amount(cents, currency)) : html``;
}
