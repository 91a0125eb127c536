import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { dayMs, minuteMs } from '@app/contracts/durations';
import type { previewReminders as contract } from '@app/contracts/reminders';
import type { CheckoutDeps } from '../checkouts/checkout-deps.ts';
import { roomForReminders } from './claim-reminders.ts';
import { countStalled, findOldestStalled, type Stalled } from './find-stalled.ts';
import { onlyRecipient, type ReminderBounds, stalledBounds } from './reminder.rules.ts';
import { priceStalled } from './send-reminders.ts';

/**
 * What the next run would send right now, by the reads of the run; nothing is claimed. Products that cannot be bought any more
 * are left out, of the count too, and so is what the ceiling of a day does not allow, and whom an unverified account may not
 * remind.
 */
export async function previewReminders(
  deps: CheckoutDeps & { readonly bounds: ReminderBounds },
  accountId: string,
  { limit = 100, after = '' }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const settings = await readSettingsOf(deps.database.pool, accountId);
  const { nudgeAfterMinutes } = settings;
  const only = onlyRecipient(settings);
  const bounds = stalledBounds(deps.clock.nowMs(), nudgeAfterMinutes);
  const room = await roomForReminders(deps.database, accountId, deps.bounds, new Date(deps.clock.nowMs() - dayMs));
  const counted = await countStalled(deps.database, accountId, bounds, only);
  const live = await liveProducts(deps, accountId, counted);
  const page = { productIds: live.map(({ product_id }) => product_id), room, afterId: after, limit: limit + 1, only };
  const found = await findOldestStalled(deps.database, accountId, bounds, page);
  const shown = await Promise.all(found.slice(0, limit).map((row) => resourceOf(deps, row, nudgeAfterMinutes)));
  return {
    count: Math.min(
      live.reduce((sum, { count }) => sum + count, 0),
      room,
    ),
    data: shown.filter((one) => one !== null),
    next: found.length > limit ? (found[limit - 1]?.id ?? null) : null,
  };
}

/** Those that can be bought now. */
export async function liveProducts<Counted extends { readonly product_id: string }>(
  { steps }: Pick<CheckoutDeps, 'steps'>,
  accountId: string,
  counted: readonly Counted[],
): Promise<Counted[]> {
  const products = await Promise.all(
    counted.map(({ product_id: productId }) =>
      steps.product({ accountId, productId, slug: '', discountCodes: [], requestId: 'reminders' }),
    ),
  );
  return counted.filter((_, index) => products[index]?.status === 'live');
}

/** Null when the product went meanwhile. */
async function resourceOf(deps: CheckoutDeps, row: Stalled, nudgeAfterMinutes: number) {
  const sale = await priceStalled(deps, row);
  if (sale === null) return null;
  return {
    checkoutId: row.id,
    customerEmail: row.email ?? row.buyer,
    productName: sale.product.name,
    totalCents: sale.totalCents,
    currency: sale.product.currency,
    dueAt: new Date(row.idle_since.getTime() + nudgeAfterMinutes * minuteMs).toISOString(),
  };
}
