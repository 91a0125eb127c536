import type { ServiceContext } from '@app/service-host/define-service';
import type { Logger } from '@app/service-kit/logger';
import { createOpeningBound, type OpeningBound } from './checkouts/bound-openings.ts';
import { createCardProcessors } from './checkouts/card-processors.ts';
import type { CheckoutDeps } from './checkouts/checkout-deps.ts';
import { createCheckoutSteps } from './checkouts/checkout-steps.ts';
import { sweepCheckouts } from './checkouts/sweep-checkouts.ts';
import type { CheckoutConfig } from './config.ts';
import { createOrderBatcher, type OrderBatcher } from './orders/order-batcher.ts';
import { sweepRefunds } from './refunds/sweep-refunds.ts';
import { startSweep } from './sweeps/sweep.ts';

/** What creates orders, sells by checkouts, and goes on with what no buyer waits for. */
export interface Selling extends CheckoutDeps {
  readonly logger: Logger;
  readonly orders: OrderBatcher;
  readonly openingBound: OpeningBound;
}

/** `resources` close its parts in reverse. */
export function openSelling({
  config,
  database,
  requester,
  clock,
  installation,
  logger,
  wakeRelay,
  resources,
}: ServiceContext<CheckoutConfig>): Selling {
  const orders = createOrderBatcher({ database, requester, wakeRelay });
  resources.add('order batcher', orders, (created) => created.close());
  const steps = createCheckoutSteps(database, requester);
  resources.add('checkout steps', steps, (created) => created.close());
  const openingBound = createOpeningBound(database, logger, config.OPEN_CHECKOUTS_PER_ACCOUNT);
  resources.add('opening bound', openingBound, (created) => created.close());
  const cardProcessorOf = createCardProcessors(requester);
  const parts = { database, requester, clock, logger, steps, cardProcessorOf, wakeRelay };
  const sweep = async (closing: () => boolean): Promise<void> => {
    await sweepCheckouts({ ...parts, closing });
    await sweepRefunds({ ...parts, closing });
  };
  resources.add('sweep', startSweep(sweep, logger, installation.isCopy), (started) => started.close());
  return { ...parts, orders, openingBound };
}
