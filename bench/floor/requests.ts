import { z } from 'zod';

/** What the gateway and the worker of the floor say to each other. */
export const subjects = {
  placeOrder: 'floor.orders.place',
  listOrders: 'floor.orders.list',
  listProducts: 'floor.products.list',
};

export const orderBody = z.strictObject({
  productSlug: z.string().min(1).max(200),
  email: z.email().max(254),
  name: z.string().max(200).optional(),
  bumpIds: z.array(z.string().max(64)).max(50).optional(),
  country: z.string().length(2).optional(),
  utm_source: z.string().max(200).optional(),
  utm_campaign: z.string().max(200).optional(),
});
export type OrderBody = z.infer<typeof orderBody>;
