import { emailKey } from '@app/contracts/email-key';
import { idFloor, isId } from '@app/contracts/ids';
import { isOrderNumber } from '@app/contracts/order-number';
import type { OrdersQuery } from '@app/contracts/orders';

/** What a list of orders is narrowed by; null where it is not. */
export interface WantedOrders {
  /** Bounds of the ids: the first is included, the second is not. */
  readonly from: string;
  readonly before: string;
  /** The key of the buyer's address. */
  readonly buyer: string | null;
  readonly nameBegins: string | null;
  /** The name may be an order's number instead, as its receipt has it. */
  readonly number: string | null;
  readonly status: string | null;
  readonly productId: string | null;
  readonly affiliateCode: string | null;
  readonly dispute: string | null;
}

/** Sorts after every order's id: the first character of its suffix is a digit. */
const afterAllIds = 'ord_z';

/** An order's time is that of its id, so a span of time is a span of ids; and an id is a span of one. */
export function wantedOrders(query: OrdersQuery): WantedOrders {
  const { q, status = null, productId = null, affiliateCode = null, dispute = null, before = afterAllIds } = query;
  const lower = [query.from === undefined ? '' : idFloor('order', Date.parse(query.from))];
  const upper = [before, query.to === undefined ? afterAllIds : idFloor('order', Date.parse(query.to))];
  const of = searchOf(q);
  if (of.kind === 'id') {
    lower.push(of.id);
    upper.push(`${of.id}0`);
  }
  return {
    from: lower.toSorted().at(-1) as string,
    before: upper.toSorted()[0] as string,
    buyer: of.kind === 'buyer' ? of.key : null,
    nameBegins: of.kind === 'name' ? of.begins : null,
    number: of.kind === 'name' ? of.number : null,
    status,
    productId,
    affiliateCode,
    dispute,
  };
}

type Search =
  | { readonly kind: 'all' }
  | { readonly kind: 'buyer'; readonly key: string }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'name'; readonly begins: string; readonly number: string | null };

function searchOf(q: string | undefined): Search {
  if (q === undefined) return { kind: 'all' };
  if (q.includes('@')) return { kind: 'buyer', key: emailKey(q) };
  const id = q.toLowerCase();
  if (isId('order', id)) return { kind: 'id', id };
  return { kind: 'name', begins: q, number: isOrderNumber(id) ? id : null };
}

/** By what a list finds its orders, along an index of its own; the other filters are compared. */
export type FoundBy = 'email' | 'name' | 'authorized' | 'refunded' | 'disputed' | 'affiliate' | 'product' | 'account';

/** The narrowest filter that is given. Nearly all orders are `paid`: they are found as the account's. */
export function foundBy({ buyer, nameBegins, status, affiliateCode, productId, dispute }: WantedOrders): FoundBy {
  if (buyer !== null) return 'email';
  if (nameBegins !== null) return 'name';
  if (dispute !== null) return 'disputed';
  if (status === 'authorized' || status === 'refunded') return status;
  if (affiliateCode !== null) return 'affiliate';
  return productId === null ? 'account' : 'product';
}
