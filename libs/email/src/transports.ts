import type { EmailTransport } from './email-transport.ts';
import { createFileTransport } from './file-transport.ts';
import { createSmtpTransport, type SmtpLimits } from './smtp-transport.ts';

export interface EmailSettings {
  readonly SMTP_URL?: string | undefined;
  readonly EMAIL_FROM?: string | undefined;
  readonly EMAIL_DIR?: string | undefined;
}

/** Only files have this sender. RFC 2606 reserves the domain, so no answer can be delivered anywhere. */
const fileSender = 'reminders@example.invalid';

/** The sender's address: where there is no mail server, that of files. */
export const senderOf = ({ EMAIL_FROM = fileSender }: Pick<EmailSettings, 'EMAIL_FROM'>): string => EMAIL_FROM;

/**
 * SMTP where a server is named, files otherwise.
 * @throws Error where there is neither a server nor a folder
 */
export function createEmailTransport(settings: EmailSettings, limits?: SmtpLimits): EmailTransport {
  const { SMTP_URL: url, EMAIL_FROM: from = fileSender, EMAIL_DIR: directory } = settings;
  if (url !== undefined) return createSmtpTransport(url, from, limits);
  if (directory === undefined) throw new Error('emails need SMTP_URL or EMAIL_DIR');
  return createFileTransport(directory, from);
}
