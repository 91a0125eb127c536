import { keyedEmails } from '@app/service-kit/email-keys';

/** The table whose rows are found by their buyer. */
export const emailKeys = [keyedEmails('events')];
