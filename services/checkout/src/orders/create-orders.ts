import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import type { PricedProduct } from '@app/contracts/products-for-sale';
import { refuseLate } from '@app/messaging/request-headers';
import type { Requester } from '@app/messaging/requester';
import type { ItemResult } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
import { isOutage } from '@app/service-kit/outages';
import { type Credit, creditedAffiliates } from './credited-affiliates.ts';
import { currentProducts } from './current-products.ts';
import { type NewOrder, newOrder } from './new-order.ts';
import { decideSale, discountUsedUp, requireTotalWithinMax } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';
import { type CreatedOrder, createdOrder, type OrderKey, recordedOutcomes } from './order-outcomes.ts';
import { isSuperseded, recordOrders } from './record-orders.ts';

export interface OrderDeps {
  readonly database: Database;
  readonly requester: Requester;
  /** Orders and their events were committed: the events may go out now. */
  readonly wakeRelay: () => void;
}

/** An order that waits, and until when a caller waits for it (milliseconds since the epoch). */
export interface WaitingOrder {
  readonly command: OrderCommand;
  deadlineMs: number;
}

/** A refusal is a result of the batch and not an error of it: it is still to be recorded. */
export type CreatedOrRefused =
  | { readonly kind: 'created'; readonly order: CreatedOrder }
  | { readonly kind: 'refused'; readonly error: DomainError };

type Outcomes = Map<string, ItemResult<CreatedOrder>>;

/**
 * The outcome of each command, in the commands' order: the order it created, now or before, or the error it is to be
 * refused for. The refusal is not recorded yet: until then another attempt of the same command may win.
 */
export async function createOrders(
  deps: OrderDeps,
  waiting: readonly WaitingOrder[],
): Promise<ItemResult<CreatedOrRefused>[]> {
  const commands = waiting.map(({ command }) => command);
  const [products, credits] = await Promise.all([
    currentProducts(deps.requester, commands),
    creditedAffiliates(deps.requester, commands),
  ]);
  const decisions = waiting.map((one, index) => decide(one, products[index] ?? null, credits[index]));
  const decided = decisions.flatMap((decision) => (decision.ok ? [decision.value] : []));
  const recorded = await recordAll(deps.database, decided);
  const outcomes = decisions.map((decision) =>
    decision.ok ? (recorded.get(decision.value.id) as ItemResult<CreatedOrder>) : decision,
  );
  if (outcomes.some((outcome) => outcome.ok)) deps.wakeRelay();
  return outcomes.map((outcome) => {
    if (outcome.ok) return { ok: true, value: { kind: 'created', order: outcome.value } };
    return isRefused(outcome) ? { ok: true, value: { kind: 'refused', error: outcome.error } } : outcome;
  });
}

/** An outage says nothing of the order: it is no reason to refuse the command for good. */
function isRefused(outcome: ItemResult<CreatedOrder>): outcome is { ok: false; error: DomainError } {
  return !outcome.ok && outcome.error instanceof DomainError && !isOutage(outcome.error);
}

export const orderKeyOf = ({ context }: OrderCommand): OrderKey => ({
  id: idOfCommand('order', context.commandId),
  account_id: context.accountId,
});

function decide(waiting: WaitingOrder, product: PricedProduct | null, credit: Credit): ItemResult<NewOrder> {
  const { command } = waiting;
  const { id } = orderKeyOf(command);
  // The moment the order reached the platform is in its id, so its position in lists always agrees with its date.
  const nowMs = idTimeMs(id);
  try {
    refuseLate(waiting);
    const sale = decideSale(command.body, product, command.account.testMode, nowMs);
    requireTotalWithinMax(sale.totalCents, product?.currency ?? '');
    const order = { id, nowMs, command, sale, product: product as PricedProduct, credit };
    return { ok: true, value: newOrder(order) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Records the orders together or, when one of them cannot be written or was superseded, each alone. */
async function recordAll(database: Database, orders: readonly NewOrder[]): Promise<Outcomes> {
  if (orders.length === 0) return new Map();
  try {
    return await record(database, orders);
  } catch (error) {
    if (isOutage(error)) return new Map(orders.map(({ id }) => [id, { ok: false, error }]));
    const alone = await Promise.all(orders.map((order) => recordAlone(database, order)));
    return new Map(orders.map(({ id }, index) => [id, alone[index] as ItemResult<CreatedOrder>]));
  }
}

async function recordAlone(database: Database, order: NewOrder): Promise<ItemResult<CreatedOrder>> {
  try {
    return (await record(database, [order])).get(order.id) as ItemResult<CreatedOrder>;
  } catch (error) {
    return isSuperseded(error) ? await outcomeOfFasterAttempt(database, order) : { ok: false, error };
  }
}

async function outcomeOfFasterAttempt(database: Database, order: NewOrder): Promise<ItemResult<CreatedOrder>> {
  const undecided = new DomainError(
    'outcome_unknown',
    'Another request is recording this order: repeat the request to learn its outcome.',
  );
  try {
    return (await recordedOutcomes(database, [order])).get(order.id) ?? { ok: false, error: undecided };
  } catch (error) {
    return { ok: false, error };
  }
}

async function record(database: Database, orders: readonly NewOrder[]): Promise<Outcomes> {
  const { recorded, usedUp } = await recordOrders(database, orders);
  const [written, codeUsedUp] = [new Set(recorded), new Set(usedUp)];
  const repeated = orders.filter(({ id }) => !written.has(id) && !codeUsedUp.has(id));
  const before: Outcomes = repeated.length === 0 ? new Map() : await recordedOutcomes(database, repeated);
  const outcomeOf = (order: NewOrder): ItemResult<CreatedOrder> => {
    if (written.has(order.id)) return createdOrder(order.id, order.total_cents);
    if (codeUsedUp.has(order.id)) return { ok: false, error: discountUsedUp(order.discount_code ?? '') };
    return before.get(order.id) ?? { ok: false, error: new Error(`the id ${order.id} is another account's order`) };
  };
  return new Map(orders.map((order) => [order.id, outcomeOf(order)]));
}
