import { onTo, type Pages, type Visit } from '../frame/visit.ts';

/** Pages of what an id names, by its first letters. */
const pagesOf: Readonly<Record<string, string>> = {
  ord: '/app/orders',
  sub: '/app/subscriptions',
  prd: '/app/products',
};

/** GET of a search: an id leads to its page, anything else to the orders that it finds. */
function search({ request }: Visit) {
  const typed = (request.query.get('q') ?? '').trim();
  const [, kind = ''] = /^([a-z]{3})_[0-9a-z]{26}$/.exec(typed) ?? [];
  const page = pagesOf[kind];
  if (page !== undefined) return onTo(`${page}/${typed}`);
  return onTo(typed === '' ? '/app/orders' : `/app/orders?${new URLSearchParams({ q: typed })}`);
}

export const searchPages: Pages = { '/app/search': { show: search } };
