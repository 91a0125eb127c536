import { orderNumber } from '@app/contracts/order-number';
import { firstNameIn, plainLine } from '@app/contracts/plain-text';
import type { Payload } from '@app/contracts/triggers';
import { escapedLine, letterHtml, type Shop, shopFoot, withdrawalLabel } from '@app/email/letter';
import type { EmailAction } from './built-in.rules.ts';
import { disputeOf } from './dispute.rules.ts';
import { failedRenewal } from './failed-renewal.rules.ts';
import { accessLabels, boughtLine, deliveryOf, itemsOf, receiptOf } from './receipt.rules.ts';
import { fieldsIn, renderBody, renderSubject, type TemplateValues } from './template.rules.ts';

/**
 * Where an email to the seller goes. An address that was given for support and has not confirmed may be a stranger's. Accounts of long
 * ago have that one alone, and gateways of the release before say no more of any.
 */
export const sellersAddress = ({
  supportEmail,
  supportEmailVerified = true,
  email,
}: {
  readonly supportEmail: string;
  readonly supportEmailVerified?: boolean | undefined;
  readonly email?: string | undefined;
}): string => (supportEmailVerified ? supportEmail : email || supportEmail);

export interface AutomationEmail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * The email that an action makes of a payload.
 * @param test of a rehearsal, or a trial of the automation: the subject says so
 */
export function automationEmail(
  action: Pick<EmailAction, 'to' | 'subject' | 'body'>,
  payload: Payload,
  shop: Shop,
  test: boolean,
): AutomationEmail {
  const values = valuesOf(action, payload, shop);
  const title = renderSubject(action.subject, values) || plainLine(shop.name);
  const receipt = receiptOf(payload, fieldsIn(action.body).includes('accessUrl'));
  const lists = { receipt, items: itemsOf(payload) };
  const { text, parts } = renderBody(action.body, values, { lists, labels: accessLabels(payload) });
  const foot = action.to === 'buyer' ? shopFoot(shop) : [escapedLine(shop.name)];
  const html = letterHtml({ sender: shop, title, parts, foot }, preheaderOf(text));
  const wayOut = action.to === 'buyer' && receipt !== null && text !== '' ? wayOutOf(shop) : '';
  return { subject: test ? `[Test] ${title}` : title, text: `${text}${wayOut}`, html };
}

/**
 * Several notices to the seller as one email, each with what would have been its subject.
 * @param notices as `automationEmail` makes each
 */
export function digestEmail(
  notices: readonly Pick<AutomationEmail, 'subject' | 'text'>[],
  shop: Shop,
): AutomationEmail {
  const title = `${notices.length} notices about ${plainLine(shop.name)}`;
  const text = notices.map((notice) => `${notice.subject}\n\n${notice.text.trim()}`).join('\n\n\n');
  const parts = notices.flatMap((notice) => [
    { html: `<b>${escapedLine(notice.subject)}</b>` },
    ...notice.text
      .trim()
      .split(/\n{2,}/)
      .map((paragraph) => ({ html: paragraph.split('\n').map(escapedLine).join('<br>') })),
  ]);
  const html = letterHtml({ sender: shop, title, parts, foot: [escapedLine(shop.name)] }, preheaderOf(text));
  return { subject: title, text, html };
}

/** At the end of a receipt’s text part; the other part has it in its foot. */
const wayOutOf = ({ withdrawalUrl }: Shop): string =>
  withdrawalUrl === '' ? '' : `\n${withdrawalLabel}: ${withdrawalUrl}\n`;

/** What follows the greeting. */
const preheaderOf = (text: string): string => text.replace(/^(?:Hello|Hi|Dear)\b.*\n+/, '').replaceAll(/\s+/g, ' ');

/** A buyer wrote the name, and perhaps gave another's address: an email to it has no more of the name than a first name. */
function valuesOf({ to }: Pick<EmailAction, 'to'>, payload: Payload, shop: Shop): TemplateValues {
  const values: Record<string, string> = { businessName: shop.name, purchasesUrl: shop.purchasesUrl };
  for (const [field, value] of Object.entries(payload)) {
    if (typeof value === 'string') values[field] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') values[field] = String(value);
  }
  Object.assign(values, failedRenewal(payload, to), disputeOf(payload));
  if (values.items === undefined) values.items = boughtLine(payload);
  values.orderNumber = orderNumber(values.orderId ?? '');
  values.delivery = deliveryOf(payload, shop.name);
  // What the order has is older than the settings, but a new account's settings may still be on their way.
  values.supportEmail = shop.supportEmail || (values.supportEmail ?? '');
  if (to === 'buyer' && values.name !== undefined) {
    values.firstName = firstNameIn(values.name);
    if (values.firstName === '') values.name = '';
  }
  return values;
}
