import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { isoText } from '../db/iso-text.ts';

/** PostgreSQL writes the answer's JSON: nothing is parsed and written again on the way out. */
const productsOfAccount = statement(
  'products-list',
  `select '{"data":[' || coalesce(string_agg(row_to_json(listed)::text, ',' order by listed.id), '') || ']}' as json
   from (
     select id, name, slug, price_cents, currency, pricing_type, billing_interval, status, access_url,
            ${isoText('created_at')} as created_at, ${isoText('updated_at')} as updated_at
     from products where account_id = $1
   ) as listed`,
);

/** Every product of the account, whatever its status, in order of creation. */
export async function listProducts(database: Database, accountId: string): Promise<Serialized> {
  const { rows } = await database.pool.query<{ json: string }>(productsOfAccount([accountId]));
  return new Serialized(rows[0]?.json as string);
}
