import { createMailer } from '@app/email/mailer';
import { createSmtpTransport } from '@app/email/smtp-transport';
import type { SendEmail } from '../deliveries/dispatcher.ts';
import { createSendEmail, type SendEmailDeps } from './send-email.ts';

/** A mail server may check a message for a while before it takes it. */
const messageMaxMs = 30_000;
const connectMaxMs = 10_000;

export interface Emails {
  /** Whether there is a mail server that automations may use. */
  readonly available: boolean;
  readonly publicUrl: string;
  readonly sendEmail: SendEmail;
  /** One email, all of it, in milliseconds: less than a lease. */
  readonly timeoutMs: number;
}

interface Settings {
  readonly SMTP_URL?: string | undefined;
  readonly EMAIL_FROM?: string | undefined;
  readonly AUTOMATION_EMAILS: 'enabled' | 'disabled';
  readonly EMAILS_PER_DAY: number;
  readonly DEPLOYMENT_EMAILS_PER_DAY: number;
  readonly LEASE_SECONDS: number;
}

export function createEmails(
  settings: Settings,
  deps: Omit<SendEmailDeps, 'mailer' | 'emailsPerDay' | 'allEmailsPerDay'>,
): Emails {
  const { SMTP_URL: url, EMAIL_FROM: from } = settings;
  const { EMAILS_PER_DAY: emailsPerDay, DEPLOYMENT_EMAILS_PER_DAY: allEmailsPerDay } = settings;
  const timeoutMs = Math.min(messageMaxMs, settings.LEASE_SECONDS * 500);
  const limits = { connectMs: Math.min(connectMaxMs, timeoutMs), messageMs: timeoutMs };
  const available = settings.AUTOMATION_EMAILS === 'enabled' && url !== undefined && from !== undefined;
  const mailer = available ? createMailer(createSmtpTransport(url, from, limits)) : undefined;
  return {
    available,
    publicUrl: deps.publicUrl,
    sendEmail: createSendEmail({ ...deps, mailer, emailsPerDay, allEmailsPerDay }),
    timeoutMs,
  };
}
