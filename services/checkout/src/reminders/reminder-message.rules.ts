import { escapeHtml, firstNameIn, plainLine } from '@app/contracts/plain-text';
import { escapedLine, letterHtml, letterLink, type Shop, shopFoot } from '@app/email/letter';
import { formatAmount } from '@app/money/format';

/** What a reminder says. Names come from the seller, the buyer's name from the buyer: all of it is text. */
export interface Reminder {
  readonly shop: Shop;
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

/** The words of a reminder. Its headers make mail programs show a button that ends reminders (RFC 2369, RFC 8058). */
export function reminderText(reminder: Reminder): ReminderText {
  return {
    subject: plainLine(`${reminder.productName}: your checkout at ${reminder.shop.name} is still open`),
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
  const { productName, link } = reminder;
  const { name: businessName, supportEmail } = reminder.shop;
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
  const { shop, productName, link, optOutLink } = reminder;
  const { name, supportEmail } = shop;
  const began = `you began to buy ${plainLine(productName)} (${totalOf(reminder)}) at ${plainLine(name)} and did not finish.`;
  const letter = {
    sender: shop,
    title: `${productName} is still in your checkout: ${totalOf(reminder)}`,
    parts: [
      { html: escapedLine(greetingOf(reminder)) },
      { html: `${escapeHtml(began)} Your checkout is as you left it.` },
      { button: { label: 'Go on with the checkout', url: link } },
      { html: `Questions? Reply to this email: ${escapedLine(supportEmail)} reads it.` },
    ],
    foot: [
      `You get this one reminder because you gave ${escapedLine(name)} your email address at the checkout. ${letterLink({ label: 'No more reminders', url: optOutLink })}`,
      ...shopFoot(shop),
    ],
  };
  return letterHtml(letter, began);
}
