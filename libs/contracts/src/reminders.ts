import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { dailyRunTimeoutMs, slow } from './time-outs.ts';

/**
 * Sends one reminder for each stalled checkout of the account, or of all accounts when `accountId` is null.
 * `recovered`: checkouts that were reminded of and became orders since they were last counted.
 */
export const runReminders = defineRequest('command', 'checkout', 'reminders.run', {
  input: z.object({ accountId: z.string().nullable() }),
  output: z.object({ ok: z.boolean(), sent: z.int(), recovered: z.int(), problem: z.string().nullable() }),
  ...slow(dailyRunTimeoutMs),
});

/** The reminders that the next run would send, oldest checkout first. */
export const previewReminders = defineRequest('read', 'checkout', 'reminders.preview', {
  input: z.object({ limit: z.int().min(1).max(100).optional(), after: z.string().optional() }),
  output: z.object({
    count: z.int(),
    data: z.array(
      z.object({
        checkoutId: z.string(),
        customerEmail: z.string(),
        productName: z.string(),
        totalCents: z.int(),
        currency: z.string(),
        dueAt: timestamp,
      }),
    ),
    next: z.string().nullable(),
  }),
});

/** How many accounts have buyers to remind for 26 hours and had no run since: for the health of the deployment. */
export const countOverdueReminders = defineRequest('read', 'checkout', 'reminders.count-overdue', {
  input: z.object({}),
  output: z.object({ accounts: z.int() }),
});

const optOutResource = z
  .object({
    businessName: z.string().describe('The seller’s name, for the page.'),
    optedOut: z.boolean().describe('Whether the seller’s reminders to this buyer have ended.'),
  })
  .meta({ id: 'OptOut' });
/** Whose reminders a link ends. The token is all that the buyer has. */
export const getOptOut = defineRequest('read', 'checkout', 'reminders.get-opt-out', {
  input: z.object({ token: z.string().max(200) }),
  output: optOutResource,
});
/** No more reminders of this seller to this buyer. A repeat gets the same answer. */
export const optOut = defineRequest('command', 'checkout', 'reminders.opt-out', {
  input: z.object({ token: z.string().max(200) }),
  output: optOutResource,
});

/** Checkout's part of an account's daily run is done; billing keeps it with the run. */
export const remindersFinished = defineEvent(
  'checkout',
  'reminders.finished',
  1,
  z.object({
    /** The run of this account that the gateway requested, or null within a run over all accounts. */
    runId: z.string().nullable(),
    /** The run over all accounts that this was a part of. */
    platformRunId: z.string().nullable(),
    sent: z.int(),
    recovered: z.int(),
    /** Why the run was not `ok`: what did not go out, in one line. Null when it was. */
    problem: z.string().nullable(),
    finishedAt: timestamp,
  }),
);

/** A reminder could not be sent, and why, for Recent activity. It names no card. */
export const reminderNoticed = defineEvent(
  'checkout',
  'reminder.noticed',
  1,
  z.object({ checkoutId: z.string(), summary: z.string(), test: z.boolean() }),
);
