import { defineService } from '@app/service-host/define-service';
import type { CheckoutConfig } from './config.ts';
import { emailKeys } from './db/email-keys.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { answeredRequests, consumedEvents } from './handlers.ts';
import { openReminders } from './open-reminders.ts';
import { openSelling } from './open-selling.ts';

export const createCheckout = defineService<CheckoutConfig>({
  name: 'checkout',
  description: 'Orders and checkouts',
  database: databaseOptions,
  emailKeys,
  retention,
  start: (context) => {
    const selling = openSelling(context);
    const reminders = openReminders(context, selling);
    return {
      closing: reminders.closing,
      checks: [reminders.overdue.check],
      events: consumedEvents(selling),
      requests: answeredRequests(selling, reminders),
    };
  },
});
