import type { OrderCustomers } from './stripe-customers.ts';
import type { StripeLink } from './stripe-link.ts';

export interface StripeDeps {
  readonly link: StripeLink;
  readonly customers: OrderCustomers;
}
