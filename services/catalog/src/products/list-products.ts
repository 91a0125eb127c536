import type { PageQuery } from '@app/contracts/common';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { isPaging, pagedList } from '@app/service-kit/paging';
import { isoText } from './iso-text.ts';

const columns = `id, name, slug, price_cents, currency, pricing_type, billing_interval, status, access_url,
  ${isoText('created_at')} as created_at, ${isoText('updated_at')} as updated_at`;

/** PostgreSQL writes the JSON of the response, so that nothing parses it on the way out. */
const productsOfAccount = statement(
  'products-list',
  `select '{"data":[' || coalesce(string_agg(row_to_json(listed)::text, ',' order by listed.id), '') || ']}' as json
   from (select ${columns} from products where account_id = $1) as listed`,
);

const productPages = pagedList<{ id: string }>({ name: 'products', table: 'products', columns, scope: ['account_id'] });

/**
 * Every product of the account, whatever its status, in order of creation: at most 1,000, which fit one message. With
 * paging, a page, newest first, as in every list.
 */
export async function listProducts(database: Database, accountId: string, page: PageQuery): Promise<Serialized> {
  if (isPaging(page)) return new Serialized(JSON.stringify(await productPages(database, [accountId], page)));
  const { rows } = await database.pool.query<{ json: string }>(productsOfAccount([accountId]));
  return new Serialized(rows[0]?.json as string);
}
