import { createMailer } from '@app/email/mailer';
import { createSmtpTransport } from '@app/email/smtp-transport';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { createSemaphore } from '@app/service-kit/semaphore';
import type { DyingProcess } from '@app/testing/dying-process';
import { createCheckoutSteps } from '../src/checkouts/checkout-steps.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { createRunDeps, type RunDeps } from '../src/reminders/run-reminders.ts';
import type { RemindersHarness } from './reminders-harness.ts';

export interface ProcessOptions {
  /** Where it is killed, if it is. */
  readonly dying?: DyingProcess | undefined;
  /** How many reminders an account may send in 24 hours; 500 unless given. */
  readonly perDay?: number;
  /** How long it waits for the mail server's replies to one message, in real milliseconds; 30,000 unless given. */
  readonly messageMs?: number;
  /** How long a run waits for the mail server, in real milliseconds; 30,000 unless given. */
  readonly sendWaitMs?: number;
}

/** Processes that send reminders, in the test's own: on the harness's database, mail server and clock. */
export interface ReminderProcesses {
  start(options?: ProcessOptions): RunDeps;
  /** Resolves when nothing is on its way to the mail server: a killed process leaves what it had begun. */
  sent(): Promise<void>;
  close(): Promise<void>;
}

export async function openReminderProcesses(harness: RemindersHarness): Promise<ReminderProcesses> {
  const { base, smtp } = harness;
  const { clock } = base;
  const database = await openDatabase({ ...databaseOptions(base.database.url), poolMax: 12 });
  const link = await connectNats(base.nats.login('checkout'));
  const requester = createRequester(link);
  const steps = createCheckoutSteps(database, requester);
  const underWay = new Set<Promise<unknown>>();
  const onItsWay = async <T>(sending: Promise<T>): Promise<T> => {
    underWay.add(sending);
    return await sending.finally(() => underWay.delete(sending));
  };
  return {
    start: ({ dying, perDay = 500, messageMs = 30_000, sendWaitMs = 30_000 } = {}) => {
      const limits = { connectMs: 30_000, messageMs };
      const mailer = createMailer(createSmtpTransport(smtp.url, 'mail@shop.example', limits));
      const send: typeof mailer.send = (message) => onItsWay(mailer.send(message));
      return createRunDeps({
        ...{
          requester,
          clock,
          steps,
          cardProcessorOf: async () => null,
          bounds: { perDay, perDayOfAll: 0 },
          sendWaitMs,
          logger: silentLogger(),
          publicUrl: 'https://shop.example',
        },
        ...{ wakeRelay: () => undefined, isClosing: () => false, semaphore: createSemaphore(2) },
        database: dying?.database(database) ?? database,
        mailer: dying === undefined ? { send } : { send: (message) => dying.between(() => send(message)) },
      });
    },
    sent: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close: async () => {
      await steps.close();
      await link.close();
      await database.close();
    },
  };
}
