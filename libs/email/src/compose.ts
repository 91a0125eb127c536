import MailComposer from 'nodemailer/lib/mail-composer';
import type { EmailMessage } from './email-transport.ts';

/** Line breaks and controls end a header; the two format characters of lines and paragraphs end one in some readers. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** The message as it is sent: headers, a text part and an HTML part. */
export async function composeMessage(message: EmailMessage, fromAddress: string): Promise<Buffer> {
  const domain = fromAddress.slice(fromAddress.lastIndexOf('@') + 1);
  const headers = Object.entries(message.headers).map(([key, value]) => ({ key, value: oneLine(value) }));
  return await new MailComposer({
    from: { name: oneLine(message.fromName), address: fromAddress },
    to: { name: '', address: oneLine(message.to) },
    replyTo: { name: '', address: oneLine(message.replyTo) },
    subject: oneLine(message.subject),
    text: message.text,
    html: message.html,
    messageId: `<${message.id}@${domain}>`,
    date: message.date,
    headers,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}
