import type { PageQuery } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import type { listProducts as contract, ProductResource, ProductUrls } from '@app/contracts/products';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { isPaging, pagedList } from '@app/service-kit/paging';
import { isoText } from './iso-text.ts';
import { imageUrlOf, noUrls } from './product.entity.ts';

const columns = `id, name, slug, price_cents, currency, pricing_type, billing_interval, status, access_url, description, listed`;
const times = `${isoText('created_at')} as created_at, ${isoText('updated_at')} as updated_at, version`;

/** PostgreSQL writes the JSON of the response, so that nothing parses it on the way out. */
const productsOfAccount = statement<{ json: string }>(
  'products-list',
  `select '{"data":[' || coalesce(string_agg(row_to_json(shown)::text, ',' order by shown.id), '') || ']}' as json
   from (
     select ${columns}, $2::text || '/' || image_name as image_url, $3::text || '/' || slug as checkout_url, ${times}
     from products where account_id = $1
   ) as shown`,
  { json: 'text' },
);

type ListedRow = Omit<ProductResource, 'image_url' | 'checkout_url'> & { readonly image_name: string | null };

const paged = (name: string, scope: readonly ['account_id', ...string[]]) =>
  pagedList<ListedRow>({
    name,
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
      listed: 'bool',
      image_name: 'text',
      created_at: 'text',
      updated_at: 'text',
      version: 'int4',
    },
    scope,
  });

const productPages = paged('products', ['account_id']);
/** Along the account's index: an account has few products. */
const pagesOfStatus = paged('products-of-status', ['account_id', 'status']);
const listedPagesOfStatus = paged('products-listed', ['account_id', 'status', 'listed']);

/**
 * Every product of the account, whatever its status, in order of creation: at most 1,000, which fit one message. With
 * paging, or of one status, a page, newest first, as in every list.
 */
export async function listProducts(
  database: Database,
  accountId: string,
  { urls = noUrls, status, listed, ...page }: RequestInput<typeof contract>,
): Promise<Serialized> {
  if (isPaging(page) || status !== undefined) {
    const { data, ...rest } = await pageOf(database, accountId, { status, listed }, page);
    return new Serialized(JSON.stringify({ data: data.map((row) => withUrls(row, urls)), ...rest }));
  }
  const { rows } = await database.pool.query(productsOfAccount([accountId, urls.images, urls.checkout]));
  return new Serialized(rows[0]?.json as string);
}

type Wanted = Pick<RequestInput<typeof contract>, 'status' | 'listed'>;

function pageOf(database: Database, accountId: string, { status, listed }: Wanted, page: PageQuery) {
  if (status === undefined) return productPages(database, [accountId], page);
  return listed === undefined
    ? pagesOfStatus(database, [accountId, status], page)
    : listedPagesOfStatus(database, [accountId, status, String(listed)], page);
}

function withUrls({ image_name, ...row }: ListedRow, urls: ProductUrls) {
  return { ...row, image_url: imageUrlOf(image_name, urls), checkout_url: `${urls.checkout}/${row.slug}` };
}
