import { limits } from '@app/contracts/common';
import type { FieldError } from '@app/contracts/errors';
import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { field, textArea } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { nothingHere, onTo, refusedPage } from '../frame/answers.ts';
import {
  type FormState,
  type FormVisit,
  form,
  formKey,
  freshForm,
  typedField,
  unreadable,
  versionOf,
} from '../frame/forms.ts';
import { removeCard } from '../frame/removal.ts';
import type { Answer, DashboardPage, Pages, Params, Visit } from '../frame/visit.ts';
import { sectionAt } from './funnel-sections.ts';
import { readWhole, refusedProductForm } from './parts.ts';

const texts = {
  added: 'New email',
  changed: 'Email',
  email: 'Email',
  dayHint: 'Days after the purchase; 0 is at once.',
  positionHint: 'Your email tool gets the emails in this order.',
  bodyHint: 'As your email tool takes it: text or HTML.',
  add: 'Add the email',
  adding: 'Adding…',
  save: 'Save',
  saving: 'Saving…',
  remove: 'Remove the email',
  removeText: 'It is not sent to your email tool any more, which keeps what it got before.',
} as const;

/** In the order of the page. */
const labels = { subject: 'Subject', body: 'Text', sendDay: 'Day', position: 'Order' } as const;

/** Without an id of the email it is a new one. */
const page = { show: showEmail, take: takeEmail };

export const emailPages: Pages = {
  '/app/products/:productId/emails/new': page,
  '/app/products/:productId/emails/:emailId': page,
};

async function showEmail(visit: Visit, { productId = '', emailId }: Params): Promise<DashboardPage> {
  const { product, email, nextPosition } = await readEmail(visit, productId, emailId);
  const stored: Record<string, string> =
    email === null
      ? { sendDay: '0', position: String(nextPosition) }
      : {
          subject: email.subject,
          sendDay: String(email.send_day),
          position: String(email.position),
          body: email.body,
        };
  return emailPage({ visit, product, email, state: freshForm(visit, stored) });
}

async function takeEmail(visit: Visit, { productId = '', emailId }: Params): Promise<Answer> {
  const { form: sent } = visit.request;
  const { product, email } = await readEmail(visit, productId, emailId);
  if (sent.get('do') === 'remove' && emailId !== undefined) {
    const params = { productId, emailId };
    await visit.read('deleteFunnelEmail', { params, idempotencyKey: formKey(visit, 'remove') });
    return onTo(sectionAt(productId, 'emails', 'removed'));
  }
  const again = (state: FormState) => refusedPage(emailPage({ visit, product, email, state }));
  const numbers = { sendDay: readWhole(sent.get('sendDay')), position: readWhole(sent.get('position')) };
  const { sendDay, position } = { sendDay: numbers.sendDay ?? Number.NaN, position: numbers.position ?? Number.NaN };
  const faults = numberFaults(numbers);
  const body = {
    subject: sent.get('subject') ?? '',
    sendDay,
    position,
    // Browsers send the ends of lines of a form as CR LF.
    body: (sent.get('body') ?? '').replaceAll('\r\n', '\n'),
  };
  const idempotencyKey = formKey(visit, String(sendDay), String(position));
  const saved =
    emailId === undefined
      ? await visit.call('createFunnelEmail', { params: { productId }, body, faults, idempotencyKey })
      : await visit.call('updateFunnelEmail', {
          params: { productId, emailId },
          body,
          faults,
          ifVersion: versionOf(visit),
          idempotencyKey,
        });
  if (!saved.ok) return again(refusedProductForm(visit, saved.problem, labels));
  return onTo(sectionAt(productId, 'emails', emailId === undefined ? 'added' : 'saved'));
}

const numberFaults = (numbers: Readonly<Record<'sendDay' | 'position', number | null>>): readonly FieldError[] =>
  (['sendDay', 'position'] as const).flatMap((name) =>
    numbers[name] === null ? [unreadable(name, `${labels[name]} must be a whole number, like 3.`)] : [],
  );

async function readEmail(visit: Visit, productId: string, emailId: string | undefined) {
  const params = { productId };
  const [product, { emails }] = await Promise.all([
    visit.read('getProduct', { params }),
    visit.read('getFunnel', { params }),
  ]);
  const email = emails.find(({ id }) => id === emailId) ?? null;
  if (email === null && emailId !== undefined) throw nothingHere(visit);
  const nextPosition = Math.max(0, ...emails.map(({ position }) => position)) + 1;
  return { product, email, nextPosition };
}

interface EmailContent {
  readonly visit: FormVisit;
  readonly product: { readonly id: string; readonly name: string };
  /** Null for one that is being made. */
  readonly email: { readonly version: number } | null;
  readonly state: FormState;
}

export function emailPage({ visit, product, email, state }: EmailContent): DashboardPage {
  const isNew = email === null;
  const fields = form(visit, {
    state,
    version: email?.version,
    content: emailFields(state),
    buttons: button({
      label: isNew ? texts.add : texts.save,
      busyLabel: isNew ? texts.adding : texts.saving,
      kind: 'accent',
    }),
  });
  return {
    title: isNew ? texts.added : texts.changed,
    back: { href: `/app/products/${product.id}`, label: product.name },
    main: html`${card(texts.email, fields)}${!isNew && removeCard(visit, { label: texts.remove, text: texts.removeText })}`,
  };
}

function emailFields(state: FormState): Html {
  const number = (name: 'sendDay' | 'position', hint: string) =>
    field({
      ...typedField(state, name),
      label: labels[name],
      hint,
      keyboard: 'numeric',
      isRequired: true,
      maxLength: 5,
    });
  const said = (name: 'subject' | 'body') => ({
    ...typedField(state, name),
    label: labels[name],
    isRequired: true,
  });
  return html`${field(Object.assign(said('subject'), { maxLength: limits.name }))}${textArea(
    Object.assign(said('body'), { hint: texts.bodyHint, maxLength: limits.emailBodyBytes }),
  )}${number('sendDay', texts.dayHint)}${number('position', texts.positionHint)}`;
}
