import type { AutomationAction } from '@app/contracts/automations';
import { limits } from '@app/contracts/common';
import { hasBuyer, type TriggerName } from '@app/contracts/triggers';
import type { WebhookEventName } from '@app/contracts/webhooks';
import type { Problem } from '../../call.ts';
import { field, select, textArea } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { eventChoices, eventLabel } from '../frame/event-names.ts';
import { type FormState, typedField } from '../frame/forms.ts';
import { isOfProducts } from './automations-page.ts';
import type { Automation } from './parts.ts';

const texts = {
  nameHint: 'Only you see it.',
  every: 'Every product',
  buyer: 'The buyer',
  seller: 'You, at your support address',
  bodyHint:
    'Plain text. An empty line begins a paragraph, and addresses (https://…) become links. A line whose fields are all empty is left out.',
  urlHint: 'It takes POST requests with JSON, from the public internet.',
  noBuyer: (event: string) => `“${event}” has no buyer: choose yourself.`,
  noProduct: (event: string) => `“${event}” is about no product: choose every product.`,
} as const;

/** Of the operation's fields, those of the action among them. */
export const automationLabels = {
  name: 'Name',
  event: 'When',
  productId: 'Product',
  to: 'To',
  subject: 'Subject',
  body: 'Text',
  url: 'URL',
} as const;

/** What its errors name, by the names of the form's fields. */
export const ofFields = (problem: Problem): Problem =>
  Object.assign({}, problem, {
    errors: problem.errors?.map((error) => Object.assign({}, error, { field: error.field.replace(/^action\./, '') })),
  });

export type Does = AutomationAction['type'];

/** What an automation's form is about. */
export interface Shape {
  readonly does: Does;
  /** Null for one that is being made. */
  readonly automation: Automation | null;
  /** All of the account, by their ids. */
  readonly products: ReadonlyMap<string, string>;
}

/** A built-in one keeps all but its text; the event of any stays. */
export function automationFields(state: FormState, { does, automation, products }: Shape): Html {
  const isNew = automation === null;
  const isOwn = isNew || automation.built_in === null;
  const common = (name: keyof typeof automationLabels) => ({
    ...typedField(state, name),
    label: automationLabels[name],
  });
  const name = () =>
    field(
      Object.assign(common('name'), {
        hint: texts.nameHint,
        isRequired: true,
        maxLength: limits.name,
        autocomplete: 'off',
      }),
    );
  const options = [['', texts.every] as const, ...products];
  const narrowed = isOwn && (isNew || isOfProducts(automation.event));
  return html`${isOwn && name()}${isNew && select(Object.assign(common('event'), { options: eventChoices }))}${
    narrowed && select(Object.assign(common('productId'), { options }))
  }${does === 'post' ? urlField(common('url')) : emailFields(common, isOwn && (isNew || isOfBuyers(automation.event)))}`;
}

interface Common {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly isAutofocus: boolean;
}

const urlField = (common: Common): Html =>
  field(
    Object.assign(common, {
      hint: texts.urlHint,
      type: 'url' as const,
      isRequired: true,
      maxLength: limits.url,
      autocomplete: 'off',
    }),
  );

function emailFields(common: (name: 'to' | 'subject' | 'body') => Common, hasTo: boolean): Html {
  const options = [['buyer', texts.buyer] as const, ['seller', texts.seller] as const];
  return html`${hasTo && select(Object.assign(common('to'), { options }))}${field(
    Object.assign(common('subject'), { isRequired: true, maxLength: limits.name, autocomplete: 'off' }),
  )}${textArea(Object.assign(common('body'), { hint: texts.bodyHint, isRequired: true, maxLength: limits.templateBytes }))}`;
}

const isOfBuyers = (event: string): boolean => hasBuyer(event as TriggerName);

/** What the form shows of an automation at first. */
export function storedAutomation({ name, event, product_id, action }: Automation): Record<string, string> {
  const stored = { name, event, productId: product_id ?? '' };
  if (action.type === 'post') return Object.assign(stored, { url: action.url });
  return Object.assign(stored, { to: action.to, subject: action.subject, body: action.body });
}

/** The fields of a form. */
export interface Wanted {
  readonly name: string;
  readonly event: WebhookEventName;
  readonly productId: string | null;
  readonly action: AutomationAction;
  /** Sentences by the name of the field: of what goes with no automation of the event. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What was typed; an automation that there is keeps its event, and a built-in one its recipient. */
export function wantedIn(typed: URLSearchParams, { does, automation }: Omit<Shape, 'products'>): Wanted {
  const event = automation?.event ?? typed.get('event') ?? '';
  const productId = typed.get('productId') || null;
  const action = does === 'post' ? postIn(typed) : emailIn(typed, automation, event);
  const errors: Record<string, string> = {};
  if (automation === null && productId !== null && !isOfProducts(event))
    errors.productId = texts.noProduct(eventLabel(event));
  if (action.type === 'email' && action.to === 'buyer' && !isOfBuyers(event))
    errors.to = texts.noBuyer(eventLabel(event));
  return { name: typed.get('name') ?? '', event: event as WebhookEventName, productId, action, errors };
}

const postIn = (typed: URLSearchParams) => ({ type: 'post' as const, url: (typed.get('url') ?? '').trim() });

function emailIn(typed: URLSearchParams, automation: Automation | null, event: string) {
  const kept = automation?.action.type === 'email' && automation.built_in !== null ? automation.action.to : undefined;
  const isFree = automation === null || isOfBuyers(event);
  const chosen = isFree && typed.get('to') !== 'seller' ? ('buyer' as const) : ('seller' as const);
  return {
    type: 'email' as const,
    to: kept ?? chosen,
    subject: typed.get('subject') ?? '',
    // Browsers send the ends of lines of a form as CR LF.
    body: (typed.get('body') ?? '').replaceAll('\r\n', '\n'),
  };
}
