import { type PlannedAction, previewDailyRun as previewBilling } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import { previewReminders } from '@app/contracts/reminders';
import type { App } from '../app.ts';
import type { OperationContext } from '../operation.ts';

const limitDefault = 50;
/** Begins a cursor among the reminders; every other one is billing's. */
const reminders = 'reminder:';
/** Billing's cursor after its last action. */
const billingDone = 'end';

type Preview = RequestOutput<typeof previewBilling>;

/** What the next run would do: billing's actions first, then checkout's reminders, under one cursor. Totals are of all pages. */
export async function previewDailyRun(
  app: App,
  { limit = limitDefault, after }: { readonly limit?: number | undefined; readonly after?: string | undefined },
  context: OperationContext,
): Promise<Preview> {
  const atReminders = after?.startsWith(reminders) === true;
  const ofBilling = { limit, ...(after !== undefined && { after: atReminders ? billingDone : after }) };
  const ofCheckout = {
    limit,
    ...(atReminders && after.length > reminders.length && { after: after.slice(reminders.length) }),
  };
  const [billing, checkout] = await Promise.all([
    app.requester.request(previewBilling, ofBilling, context),
    app.requester.request(previewReminders, ofCheckout, context),
  ]);
  const totals = { ...billing.totals, reminders: checkout.count };
  if (billing.next !== null) return { ...billing, totals };
  const room = limit - billing.data.length;
  const planned = checkout.data.map(plannedReminder);
  // A page that billing has filled in part is followed by one of reminders alone: their cursor is checkout's.
  const fits = planned.length <= room;
  const next = fits ? checkout.next : '';
  return {
    ...billing,
    totals,
    data: fits ? [...billing.data, ...planned] : billing.data,
    next: next === null ? null : `${reminders}${next}`,
  };
}

const plannedReminder = (reminder: RequestOutput<typeof previewReminders>['data'][number]): PlannedAction => ({
  kind: 'reminder',
  id: reminder.checkoutId,
  customer_email: reminder.customerEmail,
  product_name: reminder.productName,
  amount_cents: 0,
  currency: reminder.currency,
  due_at: reminder.dueAt,
  attempt: null,
});
