import { tabs } from '../../components/parts.ts';
import type { Html } from '../../html.ts';

export const ordersPath = '/app/orders';
export const testOrdersPath = '/app/orders/test';

const all = [
  { label: 'Orders', href: ordersPath },
  { label: 'Test orders', href: testOrdersPath },
] as const;

export const orderTabs = (open: string): Html =>
  tabs(
    'Lists of orders',
    all.map(({ label, href }) => ({ label, href, isOpen: href === open })),
  );

/** What an order is called: what was bought first. */
export const productOf = ({ items }: { readonly items: readonly { readonly label: string }[] }): string =>
  items[0]?.label ?? '';
