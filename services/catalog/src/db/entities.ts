import { Discount } from '../discounts/discount.entity.ts';
import { FunnelEmail } from '../emails/funnel-email.entity.ts';
import { Offer } from '../offers/offer.entity.ts';
import { Product } from '../products/product.entity.ts';

export const entities = [Product, Offer, FunnelEmail, Discount];
