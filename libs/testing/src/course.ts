import type { PricedProduct } from '@app/contracts/products-for-sale';

/** A product that is paid once, for 99.00 USD, with nothing beside it. */
export const plainCourse: PricedProduct = {
  productId: 'prd_01m7xft13ne0wattr3dpc56bw9',
  name: 'Course',
  slug: 'course',
  priceCents: 9_900,
  currency: 'usd',
  pricingType: 'onetime',
  billingInterval: null,
  status: 'live',
  accessUrl: null,
  bumps: [],
  discounts: [],
};
