import { isOutage } from '@app/service-kit/outages';
import { createSemaphore } from '@app/service-kit/semaphore';
import type { PaymentDeps } from './payment-deps.ts';
import type { DueOrder } from './payment-store.ts';

/** Orders that are worked on at once. Each waits for a processor most of the time, and holds a connection only for moments. */
const atOnce = 4;

/** Works on orders, some at once. The error of one is logged and stops no other; an outage ends the work and is thrown. */
export async function forEachOrder<T extends DueOrder>(
  { logger }: Pick<PaymentDeps, 'logger'>,
  orders: readonly T[],
  work: (item: T) => Promise<void>,
  isClosing: () => boolean = () => false,
): Promise<void> {
  const semaphore = createSemaphore(atOnce);
  let outage: unknown;
  await Promise.all(
    orders.map((item) =>
      semaphore.run(async () => {
        if (isClosing() || outage !== undefined) return;
        try {
          await work(item);
        } catch (err) {
          if (isOutage(err)) outage = err;
          else {
            const logFields = { accountId: item.account_id, orderId: item.order_id };
            logger.error({ err, ...logFields }, 'an order’s payments could not be advanced');
          }
        }
      }),
    ),
  );
  if (outage !== undefined) throw outage;
}
