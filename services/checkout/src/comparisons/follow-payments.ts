import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { followPayments as contract } from '@app/contracts/order-comparisons';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Client, Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import { recordCompleted, recordSettled } from '../checkouts/consumers.ts';

interface FollowDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly wakeRelay: () => void;
}

/**
 * Has orders follow their payments and holds, as billing's events do: whatever was recorded before stays. Each has a
 * transaction of its own, so that one that cannot follow keeps no other from it.
 * @returns the orders that cannot
 */
export async function followPayments(
  deps: FollowDeps,
  { completed, settled }: RequestInput<typeof contract>,
  context: Pick<RequestContext, 'accountId' | 'requestId'>,
): Promise<RequestOutput<typeof contract>> {
  const failed: string[] = [];
  const follow = async (orderId: string, record: (client: Client) => Promise<number>): Promise<void> => {
    try {
      if ((await deps.database.transaction(record)) > 0) deps.wakeRelay();
    } catch (err) {
      if (isOutage(err)) throw err;
      deps.logger.warn(
        { err, accountId: context.accountId, orderId },
        'an order could not take the state of its payment',
      );
      failed.push(orderId);
    }
  };
  const { accountId, requestId } = context;
  for (const data of completed) {
    await follow(data.orderId, (client) => recordCompleted(client, [{ accountId, requestId, data }]));
  }
  for (const data of settled) {
    await follow(data.orderId, (client) => recordSettled(client, [{ accountId, requestId, data }]));
  }
  return { failed };
}
