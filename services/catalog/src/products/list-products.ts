import type { RequestInput } from '@app/contracts/define';
import type { listProducts as contract, ProductResource, ProductUrls } from '@app/contracts/products';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { isPaging, pagedList } from '@app/service-kit/paging';
import { isoText } from './iso-text.ts';
import { noUrls } from './product.entity.ts';

const columns = `id, name, slug, price_cents, currency, pricing_type, billing_interval, status, access_url, description`;
const times = `${isoText('created_at')} as created_at, ${isoText('updated_at')} as updated_at, version`;

/** PostgreSQL writes the JSON of the response, so that nothing parses it on the way out. */
const productsOfAccount = statement<{ json: string }>(
  'products-list',
  `select '{"data":[' || coalesce(string_agg(row_to_json(listed)::text, ',' order by listed.id), '') || ']}' as json
   from (
     select ${columns}, $2::text || '/' || image_name as image_url, $3::text || '/' || slug as checkout_url, ${times}
     from products where account_id = $1
   ) as listed`,
  { json: 'text' },
);

type ListedRow = Omit<ProductResource, 'image_url' | 'checkout_url'> & { readonly image_name: string | null };

const productPages = pagedList<ListedRow>({
  name: 'products',
  table: 'products',
  columns: `${columns}, image_name, ${times}`,
  row: {
    id: 'text',
    name: 'text',
    slug: 'text',
    price_cents: 'int8',
    currency: 'text',
    pricing_type: 'text',
    billing_interval: 'text',
    status: 'text',
    access_url: 'text',
    description: 'text',
    image_name: 'text',
    created_at: 'text',
    updated_at: 'text',
    version: 'int4',
  },
  scope: ['account_id'],
});

/**
 * Every product of the account, whatever its status, in order of creation: at most 1,000, which fit one message. With
 * paging, a page, newest first, as in every list.
 */
export async function listProducts(
  database: Database,
  accountId: string,
  { urls = noUrls, ...page }: RequestInput<typeof contract>,
): Promise<Serialized> {
  if (isPaging(page)) {
    const { data, ...rest } = await productPages(database, [accountId], page);
    return new Serialized(JSON.stringify({ data: data.map((row) => withUrls(row, urls)), ...rest }));
  }
  const { rows } = await database.pool.query(productsOfAccount([accountId, urls.images, urls.checkout]));
  return new Serialized(rows[0]?.json as string);
}

function withUrls({ image_name, ...row }: ListedRow, { images, checkout }: ProductUrls) {
  const image_url = image_name === null ? null : `${images}/${image_name}`;
  return { ...row, image_url, checkout_url: `${checkout}/${row.slug}` };
}
