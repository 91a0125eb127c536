import type { FieldError } from '@app/contracts/errors';
import { fold } from '../../components/card.ts';
import { choices } from '../../components/choice.ts';
import { field, textArea } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { eventChoices } from '../frame/event-names.ts';
import { type FormState, typedField, typedIn, unreadable } from '../frame/forms.ts';
import type { Endpoint } from './parts.ts';

const texts = {
  url: 'URL',
  urlHint: 'It takes POST requests with JSON, from the public internet.',
  description: 'Name',
  descriptionHint: 'Only you see it.',
  only: 'Only some events',
  events: 'Events',
  eventsText: 'With none chosen it gets every event, also those that are added later.',
  more: 'Extra headers',
  headers: 'Headers',
  headersHint: 'One a line, as “authorization: Bearer abc”. They are sent along, and their values are not shown again.',
  headersNow: (names: string) =>
    `It has ${names}. Left empty, they stay as they are; what you write replaces all of them.`,
  noHeaders: 'Send no extra headers any more',
  colon: 'Headers must have a name, a colon and a value on each line.',
  twice: 'Headers must name each header once.',
} as const;

/** Of the operation's fields. */
export const endpointLabels = {
  url: texts.url,
  description: texts.description,
  events: texts.events,
  headers: texts.headers,
  held: 'What happened before today',
} as const;

/** The fields of an endpoint. @param headers names of those that it has already */
export function endpointFields(state: FormState, headers: readonly string[] = []): Html {
  const chosen = state.values.getAll('events');
  const isOpen = state.errors.headers !== undefined || typedIn(state, 'headers') !== '';
  return html`${field({ ...typedField(state, 'url'), label: texts.url, hint: texts.urlHint, type: 'url', isRequired: true, maxLength: 2048, autocomplete: 'off' })}${field(
    {
      ...typedField(state, 'description'),
      label: texts.description,
      hint: texts.descriptionHint,
      maxLength: 200,
      autocomplete: 'off',
    },
  )}${fold(texts.only, html`<div class="stack tight"><p class="small quiet">${texts.eventsText}</p>${eventBoxes(chosen)}</div>`, { isOpen: chosen.length > 0 })}${fold(
    texts.more,
    html`<div class="stack tight">${textArea({
      ...typedField(state, 'headers'),
      label: texts.headers,
      hint: headers.length === 0 ? texts.headersHint : `${texts.headersNow(headers.join(', '))} ${texts.headersHint}`,
      maxLength: 25_000,
    })}${headers.length > 0 && noHeaders(state)}</div>`,
    { isOpen },
  )}`;
}

const eventBoxes = (chosen: readonly string[]): Html =>
  choices({
    legend: texts.events,
    name: 'events',
    kind: 'checkbox',
    choices: eventChoices.map(([value, label]) => ({ value, label, hint: value, isChosen: chosen.includes(value) })),
  });

const noHeaders = (state: FormState): Html =>
  html`<label class="choice"><input type="checkbox" name="noHeaders" value="1" checked="${state.values.has('noHeaders')}"><span>${texts.noHeaders}</span></label>`;

/** What the form shows of an endpoint at first. */
export function storedOf({ url, description, events }: Endpoint): URLSearchParams {
  const stored = new URLSearchParams({ url, description });
  for (const event of events ?? []) stored.append('events', event);
  return stored;
}

type Parsed<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

/** Headers of lines; undefined where nothing is said of them. */
function headersIn(sent: URLSearchParams): Parsed<Record<string, string> | undefined> {
  const lines = (sent.get('headers') ?? '').split('\n').map((line) => line.trim());
  const given = lines.filter((line) => line !== '');
  if (given.length === 0) return { ok: true, value: sent.has('noHeaders') ? {} : undefined };
  const pairs = given.map((line) => [line.split(':', 1)[0]?.trim() ?? '', line.slice(line.indexOf(':') + 1).trim()]);
  if (given.some((line) => !line.includes(':'))) return { ok: false, error: texts.colon };
  const names = new Set(pairs.map(([name]) => name?.toLowerCase()));
  if (names.size < pairs.length) return { ok: false, error: texts.twice };
  return { ok: true, value: Object.fromEntries(pairs) };
}

/** What the operations take, and what of it could not be read. */
export function readEndpoint(sent: URLSearchParams) {
  const events = sent.getAll('events');
  const headers = headersIn(sent);
  const faults: readonly FieldError[] = headers.ok ? [] : [unreadable('headers', headers.error)];
  const body = {
    url: (sent.get('url') ?? '').trim(),
    description: sent.get('description') ?? '',
    events: events.length === 0 ? null : (events as NonNullable<Endpoint['events']>),
  };
  const given = headers.ok ? headers.value : undefined;
  return { body: given === undefined ? body : Object.assign(body, { headers: given }), faults };
}
