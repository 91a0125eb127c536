import type { RequestOutput } from '@app/contracts/define';
import type { getDelivery } from '@app/contracts/webhook-deliveries';
import { button } from '../../components/button.ts';
import { card, facts, fold } from '../../components/card.ts';
import { notice } from '../../components/notice.ts';
import { codeSample } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { deliveryBadge } from '../frame/delivery-badge.ts';
import { eventLabel } from '../frame/event-names.ts';
import { type FormState, form } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { deliveriesPath } from './filters.ts';

export type Delivery = RequestOutput<typeof getDelivery>;
type Attempt = Delivery['attempts'][number];

const texts = {
  deliveries: 'Deliveries',
  to: (event: string, target: string) => `${event} to ${target}`,
  removed: 'an endpoint that was removed',
  underWay: 'It is on its way. This page shows by itself what comes of it.',
  again: 'Send it again',
  sending: 'Sending…',
  againText: (id: string) =>
    `The same event is sent with the same webhook-id (${id}), so that a receiver that has it already can skip it.`,
  againEmail: 'The same email is sent once more.',
  request: 'Request',
  signedAnew: 'The timestamp and the signature are made anew for each attempt, and are not kept.',
  answer: (code: number) => `Answer: ${code}`,
  noAnswer: 'Answer',
  noContent: 'It had no content.',
  gone: 'What was sent and answered is kept for 30 days.',
  none: 'There was no answer.',
  latest: 'The latest attempt',
  earlier: 'Earlier attempts',
  attempt: (number: number) => `Attempt ${number}`,
  took: 'Took',
  ms: (ms: number) => `${ms} ms`,
  dns: 'Name looked up',
  connect: 'Connected',
  tls: 'Encrypted',
  firstByte: 'First byte of the answer',
  next: 'Next attempt',
  sent: 'Sent',
  event: 'The event',
  buyer: 'Buyer',
  order: 'Order',
  openOrder: 'Open the order',
  happened: 'Happened',
  id: 'webhook-id',
  payload: 'Its content',
  test: 'It is a test.',
  advice: 'What to do',
} as const;

export const underWay = (): Html => notice('info', texts.underWay);

interface DeliveryContent {
  readonly delivery: Delivery;
  readonly problem: FormState | null;
}

export function deliveryPage(visit: Visit, { delivery, problem }: DeliveryContent): DashboardPage {
  const { event, url, attempts, test } = delivery;
  const target = (url ?? texts.removed).replace('mailto:', '');
  const title = texts.to(eventLabel(event), target);
  const [latest, ...earlier] = attempts;
  return {
    title,
    heading: html`${eventLabel(event)} <bdi class="small quiet">${target}</bdi>`,
    back: { href: deliveriesPath, label: texts.deliveries },
    about: deliveryBadge(delivery),
    main: html`${diagnosisOf(delivery)}${test && html`<p class="small quiet">${texts.test}</p>`}${again(visit, delivery, problem)}${
      latest !== undefined && latestOf(delivery, latest, visit.formats)
    }${earlier.length > 0 && earlierOf(earlier, visit.formats)}${card(texts.event, eventOf(delivery, visit.formats))}`,
  };
}

const meanings = {
  delivered: 'good',
  failed: 'bad',
  held: 'warn',
  pending: 'info',
  sending: 'info',
  canceled: 'info',
  filtered: 'info',
} as const;

/** What is wrong and what to do comes before anything else. */
function diagnosisOf({ status, reason, attempts: [latest] }: Delivery): Html {
  const found = latest?.diagnosis ?? null;
  const meaning = status === 'pending' && found !== null ? 'warn' : meanings[status];
  const advice = found !== null && html`<p><b class="label">${texts.advice}.</b> ${found.advice}</p>`;
  return html`<div class="notice ${meaning}"><p>${reason}</p>${advice}</div>`;
}

const isEmail = ({ url }: Pick<Delivery, 'url'>): boolean => url === null || url.startsWith('mailto:');

function again(visit: Visit, delivery: Delivery, problem: FormState | null): Html {
  if (delivery.payload === null || delivery.status === 'sending') return html``;
  const text = isEmail(delivery) ? texts.againEmail : texts.againText(delivery.event_id);
  return form(visit, {
    action: visit.path,
    content: html`<p class="small quiet">${text}</p>`,
    buttons: button({
      label: texts.again,
      busyLabel: texts.sending,
      kind: delivery.status === 'delivered' ? 'plain' : 'accent',
    }),
    ...(problem !== null && { state: problem }),
  });
}

function latestOf(delivery: Delivery, attempt: Attempt, formats: Formats): Html {
  const exchange =
    delivery.payload === null
      ? html`<p class="small quiet">${texts.gone}</p>`
      : html`${!isEmail(attempt) && requestOf(delivery, attempt)}${answerOf(attempt, 'answer')}`;
  return html`<section class="stack"><h2>${texts.latest}</h2>${exchange}${fold(texts.took, factsOf(attempt, formats), { isOpen: true })}</section>`;
}

/** As it was sent, but for what is made anew for each attempt. */
function requestOf({ event, event_id, payload, test }: Delivery, { url }: Attempt): Html {
  const to = URL.parse(url ?? '');
  const lines = [
    `POST ${to?.pathname ?? '/'}${to?.search ?? ''} HTTP/1.1`,
    `host: ${to?.host ?? ''}`,
    'content-type: application/json',
    `x-service-event: ${event}`,
    `webhook-id: ${event_id}`,
    ...(test ? ['x-service-test: 1'] : []),
    '',
    JSON.stringify(payload, null, 2),
  ];
  return html`<div class="stack tight">${codeSample(texts.request, lines.join('\n'), 'request')}<p class="small quiet">${texts.signedAnew}</p></div>`;
}

function answerOf({ status_code, response, error }: Attempt, id: string): Html {
  const label = status_code === null ? texts.noAnswer : texts.answer(status_code);
  const text = response === null || response === '' ? null : response;
  if (text !== null) return codeSample(label, text, id);
  const said = status_code === null ? (error ?? texts.none) : texts.noContent;
  return html`<div><p class="label">${label}</p><p class="small quiet"><bdi>${said}</bdi></p></div>`;
}

function factsOf(attempt: Attempt, formats: Formats): Html {
  const { created_at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, next_attempt_at } = attempt;
  const timed = (name: string, ms: number | null) => (ms === null ? [] : [[name, texts.ms(ms)] as const]);
  return facts([
    [texts.sent, when(created_at, formats)],
    [texts.took, texts.ms(duration_ms)],
    ...timed(texts.dns, dns_ms),
    ...timed(texts.connect, connect_ms),
    ...timed(texts.tls, tls_ms),
    ...timed(texts.firstByte, first_byte_ms),
    ...(next_attempt_at === null ? [] : [[texts.next, when(next_attempt_at, formats)] as const]),
  ]);
}

const earlierOf = (earlier: readonly Attempt[], formats: Formats): Html =>
  html`<section class="stack tight"><h2>${texts.earlier}</h2>${earlier.map((attempt) =>
    fold(
      html`${texts.attempt(attempt.number)}, ${when(attempt.created_at, formats)}`,
      html`<div class="stack tight">${attempt.diagnosis !== null && html`<p>${attempt.diagnosis.explanation}</p>`}${answerOf(attempt, `answer-${attempt.number}`)}</div>`,
    ),
  )}</section>`;

function eventOf({ event_id, email, order_id, created_at, payload, url, test }: Delivery, formats: Formats): Html {
  // The id in a sample is no order's.
  const order =
    order_id === null || test
      ? []
      : [[texts.order, html`<a href="/app/orders/${order_id}">${texts.openOrder}</a>`] as const];
  const known = facts([
    ...(email === null ? [] : [[texts.buyer, html`<bdi>${email}</bdi>`] as const]),
    ...order,
    [texts.happened, when(created_at, formats)],
    [texts.id, event_id],
  ]);
  const content = payload === null ? texts.gone : undefined;
  const shown =
    payload !== null && isEmail({ url }) && codeSample(texts.payload, JSON.stringify(payload, null, 2), 'payload');
  return html`${known}${shown}${content !== undefined && html`<p class="small quiet">${content}</p>`}`;
}
