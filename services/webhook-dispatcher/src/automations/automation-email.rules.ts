import { escapeHtml, firstNameIn, plainLine } from '@app/contracts/plain-text';
import type { Payload } from '@app/contracts/triggers';
import type { EmailAction } from './built-in.rules.ts';
import { renderBody, renderSubject, type TemplateValues } from './template.rules.ts';

/** What is known of the seller. */
export interface Seller {
  readonly businessName: string;
  readonly supportEmail: string;
}

/**
 * Where an email to the seller goes. An address that was given for support and has not confirmed may be a stranger's. Accounts of long
 * ago have that one alone, and gateways of the release before say no more of any.
 */
export const sellersAddress = ({
  supportEmail,
  supportEmailVerified = true,
  email,
}: Pick<Seller, 'supportEmail'> & {
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
  seller: Seller,
  test: boolean,
): AutomationEmail {
  const values = valuesOf(action, payload, seller);
  const subject = renderSubject(action.subject, values) || plainLine(seller.businessName);
  const { text, html } = renderBody(action.body, values);
  return { subject: test ? `[Test] ${subject}` : subject, text, html: page(subject, html) };
}

/** A buyer wrote the name, and perhaps gave another's address: an email to it has no more of the name than a first name. */
function valuesOf({ to }: Pick<EmailAction, 'to'>, payload: Payload, seller: Seller): TemplateValues {
  const values: Record<string, string> = { ...seller };
  for (const [field, value] of Object.entries(payload)) {
    if (typeof value === 'string') values[field] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') values[field] = String(value);
  }
  // What the order has is older than the settings, but a new account's settings may still be on their way.
  values.supportEmail = seller.supportEmail || (values.supportEmail ?? '');
  if (to === 'buyer' && values.name !== undefined) {
    values.firstName = firstNameIn(values.name);
    if (values.firstName === '') values.name = '';
  }
  return values;
}

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;background:#fcfbf8;color:#1d2422;font:16px/1.6 sans-serif">
<div style="max-width:32rem;margin:0 auto">
${body}</div>
</body>
</html>
`;
