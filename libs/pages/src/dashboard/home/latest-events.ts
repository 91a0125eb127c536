import { money } from '../../components/lines.ts';
import { rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { testBadge } from '../frame/badges.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { Body } from '../frame/visit.ts';

export type LoggedEvent = Body<'listEvents'>['data'][number];
type Payload = LoggedEvent['payload'];

const texts = { events: 'Latest events', all: 'Open the activity' } as const;

/** The page of what an event is about, by the first of these fields that its payload has. */
const pages: readonly (readonly [field: string, start: string])[] = [
  ['orderId', '/app/orders/'],
  ['subscriptionId', '/app/subscriptions/'],
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

/** What happened last, newest first; nothing where nothing has. */
export function latestEvents(events: readonly LoggedEvent[], formats: Formats): Html {
  if (events.length === 0) return html``;
  const list = events.map((event) => ({
    href: eventPath(event),
    title: eventLabel(event.event),
    detail: joined([when(event.occurred_at, formats), ...about(event.payload)], ' · '),
    end: amount(event.payload, formats),
    badges: [testBadge(event)],
  }));
  return html`<section class="stack"><h2>${texts.events}</h2>${rows(list)}<p class="small"><a href="/app/activity">${texts.all}</a></p></section>`;
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
