import type { EventData } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { subscriptionCanceled, subscriptionStarted } from '@app/contracts/subscriptions';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';

const keptTypes = {
  id: 'text',
  account_id: 'text',
  order_id: 'text',
  product_id: 'text',
  email: 'text',
  email_key: 'text',
  ended_at: 'timestamptz',
};

/** The end is kept whichever event comes first. Rows are written in one order, so that no two batches wait in a circle. */
const keepStatement = statement(
  'sold-subscriptions-keep',
  `insert into sold_subscriptions as kept (${namesOf(keptTypes)})
   select distinct on (id) ${namesOf(keptTypes)}
   from ${tableOf(keptTypes, 1)}
   order by id, ended_at nulls last
   on conflict (id) do update set ended_at = coalesce(kept.ended_at, excluded.ended_at)`,
);

type OfSubscription = Pick<
  EventData<typeof subscriptionStarted>,
  'subscriptionId' | 'orderId' | 'customerEmail' | 'productId'
> & { readonly canceledAt?: string };

async function keepSubscriptions(client: Client, events: readonly ReceivedEvent<OfSubscription>[]): Promise<void> {
  const rows = events.map(({ accountId, data }) => ({
    id: data.subscriptionId,
    account_id: accountId,
    order_id: data.orderId,
    email: emailKey(data.customerEmail),
    email_key: emailKey(data.customerEmail),
    product_id: data.productId,
    ended_at: data.canceledAt ?? null,
  }));
  await client.query(keepStatement(columnsOf(rows, keptTypes)));
}

/** Rehearsals keep no buyer from buying. */
const isNoTest = ({ test }: { readonly test: boolean }): boolean => !test;

/** Which buyers subscribe to what: who pays for it once more confirms that first. */
export const subscriptionHandlers: readonly EventHandler[] = [
  onEvent(subscriptionStarted, (events, client) => keepSubscriptions(client, events), isNoTest),
  onEvent(subscriptionCanceled, (events, client) => keepSubscriptions(client, events), isNoTest),
];
