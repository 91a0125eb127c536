import { DomainError } from '@app/contracts/errors';
import { isLate, tooLate } from '@app/messaging/request-headers';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import { type CreatedOrRefused, createOrders, type OrderDeps, orderKeyOf, type WaitingOrder } from './create-orders.ts';
import type { OrderCommand } from './order-command.ts';
import { type CreatedOrder, type OrderRefusal, recordRefusals } from './order-outcomes.ts';

const limits = {
  /** At most so many orders share one request to catalog and one commit. */
  maxSize: 64,
  /** Of each batcher. 2,000 orders are four seconds at 500 a second; a caller waits as long as `time-outs.ts` of the contracts says. */
  maxWaiting: 2_000,
  concurrency: 2,
  fullError: () =>
    new DomainError('service_unavailable', 'Too many orders are waiting: repeat the request in a few seconds.'),
};

export type OrderBatcher = Pick<Batcher<OrderCommand, CreatedOrder>, 'add' | 'close'>;

/**
 * Creates orders in batches: those that arrive while a batch is under way wait and form the next one. A batch costs one
 * request to the catalog and one statement (with codes a transaction of three), however many orders it holds, and a lone order
 * waits for no other: `createOrders`
 * decides each, `newOrder` makes its row and its `order.paid`, `recordOrders` writes both.
 *
 * Two kinds of orders have batches of their own, because they may wait long for something that the others do not need:
 * - orders that name an affiliate code wait for the affiliate service;
 * - orders that are refused wait until no other attempt of the same command is on its way into the database.
 *
 * An order's id is its command's id. A command that comes again (its response was lost) finds its order or its refusal
 * recorded and gets that outcome, whatever the catalog says by now. A command that comes again while its order still
 * waits gets the outcome of that one, so that repeats do not fill the queue while the database does not answer.
 */
export function createOrderBatcher(deps: OrderDeps): OrderBatcher {
  const newBatcher = () =>
    createBatcher<WaitingOrder, CreatedOrRefused>({
      ...limits,
      // Callers that no longer wait got a reply to repeat their orders, or repeat them already.
      rejectionOf: (order) => (isLate(order) ? tooLate() : undefined),
      span: { service: 'checkout', one: 'create order', many: 'create orders', count: 'app.orders' },
      run: (batch) => createOrders(deps, batch),
    });
  const plain = newBatcher();
  const withAffiliateCode = newBatcher();
  const refusals = createBatcher<OrderRefusal, CreatedOrder>({
    ...limits,
    run: (batch) => recordRefusals(deps.database, batch),
  });
  const create = async (order: WaitingOrder): Promise<CreatedOrder> => {
    const { command } = order;
    const outcome = await (command.body.affiliateCode ? withAffiliateCode : plain).add(order);
    if (outcome.kind === 'created') return outcome.order;
    return await refusals.add({ ...orderKeyOf(command), error: outcome.error });
  };
  const underWay = new Map<string, { order: WaitingOrder; outcome: Promise<CreatedOrder> }>();
  return {
    close: async () => {
      await Promise.all([plain.close(), withAffiliateCode.close()]);
      await refusals.close();
    },
    add: (command) => {
      const { accountId, commandId, deadlineMs } = command.context;
      const key = `${accountId}/${commandId}`;
      const first = underWay.get(key);
      if (first !== undefined) {
        first.order.deadlineMs = Math.max(first.order.deadlineMs, deadlineMs);
        return first.outcome;
      }
      const order = { command, deadlineMs };
      const outcome = create(order).finally(() => underWay.delete(key));
      underWay.set(key, { order, outcome });
      return outcome;
    },
  };
}
