import { p } from '@mikro-orm/core';

/** Columns that identify a part of a product: an offer, an email, a discount. */
export const partKey = () => ({
  accountId: p.string().primary(),
  productId: p.string().primary(),
  id: p.string().primary(),
});
