import type { EventData } from '@app/contracts/define';
import type { productCreated, productRenamed } from '@app/contracts/products';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';

const nameTypes = { account_id: 'text', product_id: 'text', name: 'text', pricing_type: 'text', renamed_by: 'text' };
const columns = namesOf(nameTypes);

/** One row for each product, the latest event's: a statement cannot update a row twice. Written in the order of keys. */
const recordStatement = statement(
  'products-rename',
  `insert into products as p (${columns})
   select distinct on (account_id, product_id) ${columns}
   from ${tableOf(nameTypes, 1)}
   order by account_id, product_id, renamed_by collate "C" desc
   on conflict (account_id, product_id) do update set name = excluded.name, pricing_type = excluded.pricing_type,
     renamed_by = excluded.renamed_by
     where p.renamed_by is null or p.renamed_by < excluded.renamed_by`,
);

/** Stores the latest name and pricing type of each product, in whatever order the events come. */
export async function recordNames(
  client: Client,
  events: readonly ReceivedEvent<EventData<typeof productCreated | typeof productRenamed>>[],
): Promise<void> {
  const rows = events.map(({ id, accountId, data }) => ({
    account_id: accountId,
    product_id: data.productId,
    name: data.name,
    pricing_type: data.pricingType,
    renamed_by: id,
  }));
  await client.query(recordStatement(columnsOf(rows, nameTypes)));
}
