import { emailAddress } from '@app/contracts/common';
import { z } from 'zod';

/** Settings of a service that sends email to a mail server only. */
export const smtpSettings = {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the start. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  /** The sender's address; the name beside it is the seller's. Required with SMTP_URL. */
  EMAIL_FROM: emailAddress.optional(),
};

/** Settings of a service that writes emails as files while there is no mail server. */
export const emailSettings = {
  ...smtpSettings,
  /** Where files are written while there is no SMTP_URL. */
  EMAIL_DIR: z.string().min(1).default('.data/emails'),
};

/** For `refine`: a mail server refuses an address without an owner. */
export const hasSender = ({
  SMTP_URL,
  EMAIL_FROM,
}: {
  SMTP_URL?: string | undefined;
  EMAIL_FROM?: string | undefined;
}) => SMTP_URL === undefined || EMAIL_FROM !== undefined;
export const senderMissing = { path: ['EMAIL_FROM'], message: 'is required with SMTP_URL' };
