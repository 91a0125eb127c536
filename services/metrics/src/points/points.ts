import { definePoint } from '@app/service-kit/points';

/** A request names a product whose id is young and of which no event has come yet: it waits for one. */
export const productAwaited = definePoint<{ readonly accountId: string; readonly productId: string }>(
  'metrics.product-awaited',
);
