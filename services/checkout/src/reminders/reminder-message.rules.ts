import { escapeHtml, firstNameIn, plainLine } from '@app/contracts/plain-text';
import { formatAmount } from '@app/money/format';

/** What a reminder says. Names come from the seller, the buyer's name from the buyer: all of it is text. */
export interface Reminder {
  readonly businessName: string;
  readonly supportEmail: string;
  readonly buyerName: string | null;
  readonly productName: string;
  readonly totalCents: number;
  readonly currency: string;
  readonly link: string;
  readonly optOutLink: string;
}

export interface ReminderText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const escaped = (text: string): string => escapeHtml(plainLine(text));

/** The words of a reminder. Its headers make mail programs show a button that ends reminders (RFC 2369, RFC 8058). */
export function reminderText(reminder: Reminder): ReminderText {
  return {
    subject: plainLine(`${reminder.productName}: your checkout at ${reminder.businessName} is still open`),
    text: textOf(reminder),
    html: htmlOf(reminder),
    headers: {
      'List-Unsubscribe': `<${reminder.optOutLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  };
}

/** More of the name than a first name would make reminders carry a stranger's message to a stranger. */
function greetingOf({ buyerName }: Reminder): string {
  const name = firstNameIn(buyerName ?? '');
  return name === '' ? 'Hello,' : `Hello ${name},`;
}

function textOf(reminder: Reminder): string {
  const { businessName, supportEmail, productName, link } = reminder;
  return [
    greetingOf(reminder),
    '',
    `you began to buy ${plainLine(productName)} (${totalOf(reminder)}) at ${plainLine(businessName)} and did not finish.`,
    'Your checkout is as you left it:',
    '',
    link,
    '',
    `Questions? Reply to this email: ${plainLine(supportEmail)} reads it.`,
    '',
    `You get this one reminder because you gave ${plainLine(businessName)} your email address at the checkout.`,
    'No more reminders, whatever you begin to buy there:',
    reminder.optOutLink,
    '',
  ].join('\n');
}

const totalOf = ({ totalCents, currency }: Reminder): string => formatAmount(totalCents, currency);

function htmlOf(reminder: Reminder): string {
  const { businessName, supportEmail, productName, link, optOutLink } = reminder;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(productName)}</title></head>
<body style="margin:0;padding:24px;background:#fcfbf8;color:#1d2422;font:16px/1.6 sans-serif">
<div style="max-width:32rem;margin:0 auto">
<p>${escaped(greetingOf(reminder))}</p>
<p>you began to buy <strong>${escaped(productName)}</strong> (${escaped(totalOf(reminder))}) at ${escaped(businessName)} and did
not finish. Your checkout is as you left it.</p>
<p style="margin:28px 0"><a href="${escaped(link)}"
style="padding:12px 20px;border-radius:6px;background:#14594c;color:#ffffff;text-decoration:none">Go on with the checkout</a></p>
<p>Questions? Reply to this email: ${escaped(supportEmail)} reads it.</p>
<p style="margin-top:32px;color:#55605c;font-size:14px">You get this one reminder because you gave ${escaped(businessName)} your
email address at the checkout. <a href="${escaped(optOutLink)}" style="color:#55605c">No more reminders</a></p>
</div>
</body>
</html>
`;
}
