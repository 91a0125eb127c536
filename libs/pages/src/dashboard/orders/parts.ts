import { select } from '../../components/field.ts';
import { tabs } from '../../components/parts.ts';
import type { Html } from '../../html.ts';

export const ordersPath = '/app/orders';
export const checkoutsPath = '/app/orders/checkouts';
export const customersPath = '/app/orders/customers';
export const testOrdersPath = '/app/orders/test';
export const withdrawalsPath = '/app/orders/withdrawals';

const all = [
  { label: 'Orders', href: ordersPath },
  { label: 'Customers', href: customersPath },
  { label: 'Unpaid checkouts', href: checkoutsPath },
  { label: 'Withdrawals', href: withdrawalsPath },
  { label: 'Test orders', href: testOrdersPath },
] as const;

export const orderTabs = (open: string): Html =>
  tabs(
    'Orders and buyers',
    all.map(({ label, href }) => ({ label, href, isOpen: href === open })),
  );

/** What the filter of products offers. */
export type Named = readonly { readonly id: string; readonly name: string }[];

/** How many products the filter of them offers. */
export const productsListed = 100;

/** Narrows a list to one product. A link may name a product that is not among those that are listed. */
export function productFilter(products: Named, chosen: string): Html {
  const isListed = chosen === '' || products.some(({ id }) => id === chosen);
  const listed = products.map(({ id, name }) => [id, name] as const);
  const all = [['', 'Any product'] as const, ...listed];
  const options = isListed ? all : [...all, [chosen, 'The product of the link'] as const];
  const hint = products.length < productsListed ? undefined : `The newest ${productsListed} are listed.`;
  return select({ name: 'productId', label: 'Product', hint, value: chosen, options });
}
