import type { PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/subscriptions';
import { type Database, statement } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';

type SubscriptionResource = RequestOutput<typeof contract.getSubscription>;

/** Everything but the payment method. */
const columns = `id, order_id, product_id, product_name, customer_email, amount_cents, currency, billing_interval, status,
  collection, started_at, current_period_end, canceled_at, paused_at, next_charge_at, failed_tries, last_four, test`;

const byId = statement('subscriptions-by-id', `select ${columns} from subscriptions where account_id = $1 and id = $2`);

type Dates = 'started_at' | 'current_period_end' | 'canceled_at' | 'paused_at' | 'next_charge_at';

interface SubscriptionRow extends Omit<SubscriptionResource, Dates> {
  readonly started_at: Date;
  readonly current_period_end: Date;
  readonly canceled_at: Date | null;
  readonly paused_at: Date | null;
  readonly next_charge_at: Date | null;
}

const subscriptionsOfAccount = pagedList<SubscriptionRow>({
  name: 'subscriptions',
  table: 'subscriptions',
  columns,
  scope: ['account_id'],
  filter: 'not test',
});

/** The account's subscriptions, newest first, without those of test orders. Ids sort by time, so they page by id. */
export async function listSubscriptions(
  database: Database,
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof contract.listSubscriptions>> {
  const { data, ...rest } = await subscriptionsOfAccount(database, [accountId], page);
  return { data: data.map(resourceOf), ...rest };
}

/** One subscription, of a test order too. Throws `subscription_not_found`, for another account's as well. */
export async function getSubscription(
  database: Database,
  accountId: string,
  id: string,
): Promise<SubscriptionResource> {
  const { rows } = await database.pool.query<SubscriptionRow>(byId([accountId, id]));
  const [row] = rows;
  if (row === undefined)
    throw new DomainError('subscription_not_found', `There is no subscription with the id "${id}".`);
  return resourceOf(row);
}

const resourceOf = (row: SubscriptionRow): SubscriptionResource => ({
  ...row,
  started_at: row.started_at.toISOString(),
  current_period_end: row.current_period_end.toISOString(),
  canceled_at: row.canceled_at?.toISOString() ?? null,
  paused_at: row.paused_at?.toISOString() ?? null,
  next_charge_at: row.next_charge_at?.toISOString() ?? null,
});
