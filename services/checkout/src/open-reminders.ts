import { createMailer } from '@app/email/mailer';
import { createEmailTransport } from '@app/email/transports';
import type { OverdueWatch } from '@app/runs/overdue-watch';
import type { ServiceContext } from '@app/service-host/define-service';
import { createSemaphore } from '@app/service-kit/semaphore';
import type { CheckoutConfig } from './config.ts';
import type { Selling } from './open-selling.ts';
import { watchOverdue } from './reminders/overdue.ts';
import { closeRuns, createRunDeps, partsAtOnce, type RunDeps } from './reminders/run-reminders.ts';

/** What reminds buyers, and watches whether it is let to. */
export interface Reminders {
  readonly runs: RunDeps;
  readonly overdue: OverdueWatch;
  /** The process closes: runs under way end after what they are at. */
  readonly closing: () => void;
}

/** `resources` close its parts in reverse. */
export function openReminders(
  { config, resources, nextDailyRunMs }: ServiceContext<CheckoutConfig>,
  selling: Selling,
): Reminders {
  const parts = {
    ...selling,
    nextDailyRunMs,
    bounds: { perDay: config.REMINDERS_PER_DAY, perDayOfAll: config.DEPLOYMENT_REMINDERS_PER_DAY },
  };
  const overdue = resources.add('overdue watch', watchOverdue(parts), (watch) => watch.close());
  let isClosing = false;
  const runs = createRunDeps({
    ...parts,
    publicUrl: config.PUBLIC_URL,
    isClosing: () => isClosing,
    mailer: createMailer(createEmailTransport(config)),
    // The run over all accounts has one permit, each account that it works on another.
    semaphore: createSemaphore(partsAtOnce + 1),
  });
  resources.add('reminders', runs, closeRuns);
  return {
    runs,
    overdue,
    closing: () => {
      isClosing = true;
    },
  };
}
