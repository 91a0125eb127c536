import type { OrderResource } from '@app/contracts/orders';
import type { ColumnsOf } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import { type OrderItem, type StoredItem, wholeItem } from './order.rules.ts';
import { utmTypes } from './order-columns.ts';

/** How its disputes stand; null without any. */
export const disputeOf = `case when disputes is null then null when jsonb_path_exists(disputes, '$.* ? (@ == "open")') then 'open'
    when jsonb_path_exists(disputes, '$.* ? (@ == "lost")') then 'lost' end`;

/** What an order's resource is made of, from the table `orders`. */
export const orderColumns = `id, product_id, customer_email, customer_name, total_cents, currency, status,
  case when status = 'refunded' then total_cents else refunded_cents end as refunded_cents,
  ${disputeOf} as dispute,
  ${namesOf(utmTypes)}, country, affiliate_code, test, created_at, immediate_access,
  items::text`;

/** As the published resource has it; the items as JSON. */
export type OrderRow = Omit<OrderResource, 'items' | 'created_at'> & {
  readonly items: string;
  readonly created_at: Date;
};

export const orderTypes: ColumnsOf<OrderRow> = {
  id: 'text',
  product_id: 'text',
  customer_email: 'text',
  customer_name: 'text',
  total_cents: 'int8',
  currency: 'text',
  status: 'text',
  refunded_cents: 'int8',
  dispute: 'text',
  ...utmTypes,
  country: 'text',
  affiliate_code: 'text',
  test: 'bool',
  created_at: 'timestamptz',
  immediate_access: 'text',
  items: 'text',
};

/** What is in the items of every order since items have their links. Within a label its quotes would be escaped. */
const linked = '"access_url":';

/** Items are stored in the published shape, so they are passed on without being parsed; those of older orders are completed. */
export function orderJson({ items, ...order }: OrderRow): string {
  const published = items.includes(linked) ? items : JSON.stringify(wholeItems(JSON.parse(items), order.product_id));
  return `${JSON.stringify(order).slice(0, -1)},"items":${published}}`;
}

/** Items as they are stored of an order. Where its product was found at the sale was not kept of old ones. */
export const wholeItems = (items: readonly StoredItem[], productId: string): OrderItem[] =>
  items.map((item) => wholeItem(item, { productId, accessUrl: null }));
