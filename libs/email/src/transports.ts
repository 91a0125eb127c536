import type { EmailTransport } from './email-transport.ts';
import { createFileTransport } from './file-transport.ts';
import { createSmtpTransport, type SmtpLimits } from './smtp-transport.ts';

export interface EmailSettings {
  readonly SMTP_URL?: string | undefined;
  readonly EMAIL_FROM?: string | undefined;
  readonly EMAIL_DIR: string;
}

/** Of files alone. RFC 2606 keeps the name: no mail goes there. */
const fileSender = 'reminders@example.invalid';

/** SMTP where a server is named, files otherwise. */
export function createEmailTransport(settings: EmailSettings, limits?: SmtpLimits): EmailTransport {
  const { SMTP_URL: url, EMAIL_FROM: from = fileSender, EMAIL_DIR: directory } = settings;
  return url === undefined ? createFileTransport(directory, from) : createSmtpTransport(url, from, limits);
}
