import { createMailer } from '@app/email/mailer';
import { createEmailTransport, type EmailSettings } from '@app/email/transports';
import type { SendEmail } from '../deliveries/dispatcher.ts';
import { createSendEmail, type SendEmailDeps } from './send-email.ts';

/** A mail server may check a message for a while before it takes it. */
const messageMaxMs = 30_000;
const connectMaxMs = 10_000;

export interface Emails {
  /** Whether there is a mail server that automations may use, or a folder for files. */
  readonly available: boolean;
  readonly publicUrl: string;
  readonly sendEmail: SendEmail;
  /** One email, all of it, in milliseconds: less than a lease. */
  readonly timeoutMs: number;
}

interface Settings extends EmailSettings {
  readonly AUTOMATION_EMAILS: 'enabled' | 'disabled';
  readonly EMAILS_PER_DAY: number;
  readonly DEPLOYMENT_EMAILS_PER_DAY: number;
  readonly LEASE_SECONDS: number;
}

export function createEmails(
  settings: Settings,
  deps: Omit<SendEmailDeps, 'mailer' | 'emailsPerDay' | 'allEmailsPerDay'>,
): Emails {
  const { EMAILS_PER_DAY: emailsPerDay, DEPLOYMENT_EMAILS_PER_DAY: allEmailsPerDay } = settings;
  const timeoutMs = Math.min(messageMaxMs, settings.LEASE_SECONDS * 500);
  const limits = { connectMs: Math.min(connectMaxMs, timeoutMs), messageMs: timeoutMs };
  const isAnywhere = settings.SMTP_URL !== undefined || settings.EMAIL_DIR !== undefined;
  const available = settings.AUTOMATION_EMAILS === 'enabled' && isAnywhere;
  const mailer = available ? createMailer(createEmailTransport(settings, limits)) : undefined;
  return {
    available,
    publicUrl: deps.publicUrl,
    sendEmail: createSendEmail({ ...deps, mailer, emailsPerDay, allEmailsPerDay }),
    timeoutMs,
  };
}
