import type { SaleOffer } from '@app/contracts/catalog';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import type { Requester } from '@app/messaging/requester';
import { isOutage } from '@app/messaging/retry-policy';
import { type Batcher, createBatcher, type Outcome } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
import { inBatchSpan } from '@app/service-kit/tracing';
import { currentOffers } from './current-offers.ts';
import { insertDiscounted, insertOrders, type NewOrder, recordedTotals } from './insert-orders.ts';
import { newOrder } from './new-order.ts';
import { decideSale } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';

export interface PlacedOrder {
  readonly ok: true;
  readonly orderId: string;
  readonly totalCents: number;
}

export interface OrderDesk {
  readonly database: Database;
  readonly requester: Requester;
  /** Called after orders and their events are committed. */
  readonly afterCommit: () => void;
}

/** Orders that share one question to the catalog and one commit: more than 32 connections ever wait at once. */
const batchMax = 64;
/** At 500 orders a second these are four seconds of waiting, about as long as a caller does. */
const waitingMax = 2_000;

export type OrderQueue = Pick<Batcher<OrderCommand, PlacedOrder>, 'add' | 'close'>;

/** An order that waits, and until when anybody waits for it (milliseconds since the epoch). */
interface WaitingOrder {
  readonly command: OrderCommand;
  deadlineMs: number;
}

/**
 * Takes orders together: those that arrive while a batch is under way wait and form the next one. A batch costs one
 * question to the catalog and one statement, however many orders it holds, and a lone order waits for nobody.
 *
 * An order's id is its command's id. A command that comes again (its answer was lost) finds its order recorded and
 * gets the first outcome, whatever the catalog says by now. One that comes again while its order still waits takes no
 * second place: it waits for the same outcome, so that a database that stands still does not fill the queue.
 */
export function createOrderBatcher(desk: OrderDesk): OrderQueue {
  const batcher = createBatcher<WaitingOrder, PlacedOrder>({
    maxBatch: batchMax,
    maxWaiting: waitingMax,
    concurrency: 2,
    run: (batch) => placeInTime(desk, batch),
  });
  const underWay = new Map<string, { order: WaitingOrder; outcome: Promise<PlacedOrder> }>();
  return {
    close: () => batcher.close(),
    add: (command) => {
      const { accountId, commandId, deadlineMs } = command.context;
      const key = `${accountId}/${commandId}`;
      const first = underWay.get(key);
      if (first !== undefined) {
        first.order.deadlineMs = Math.max(first.order.deadlineMs, deadlineMs);
        return first.outcome;
      }
      const order: WaitingOrder = { command, deadlineMs };
      const outcome = batcher.add(order).finally(() => underWay.delete(key));
      underWay.set(key, { order, outcome });
      return outcome;
    },
  };
}

/** An order that nobody waits for any more is not begun: its caller was told to come again, or comes again already. */
async function placeInTime(desk: OrderDesk, batch: readonly WaitingOrder[]): Promise<Outcome<PlacedOrder>[]> {
  const nowMs = Date.now();
  const inTime = batch.filter(({ deadlineMs }) => nowMs <= deadlineMs);
  const commands = inTime.map(({ command }) => command);
  const placed = commands.length === 0 ? [] : await placeInSpan(desk, commands);
  const outcomes = new Map(inTime.map((order, index) => [order, placed[index]]));
  return batch.map((order) => outcomes.get(order) ?? { ok: false, error: tooLate() });
}

/** The catalog's question and the statements are the batch's: each order's trace is linked to them. */
async function placeInSpan(desk: OrderDesk, commands: OrderCommand[]): Promise<Outcome<PlacedOrder>[]> {
  const items = commands.map(({ context }) => ({ name: 'place order', traceparent: context.traceparent }));
  const attributes = { 'app.orders': commands.length };
  return await inBatchSpan('place orders', { service: 'checkout', attributes, items }, () =>
    placeOrders(desk, commands),
  );
}

function tooLate(): DomainError {
  return new DomainError('service_unavailable', 'The order waited for too long and was not recorded; try again.');
}

async function placeOrders(desk: OrderDesk, commands: OrderCommand[]): Promise<Outcome<PlacedOrder>[]> {
  const offers = await currentOffers(desk.requester, commands);
  const decisions = commands.map((command, index) => decide(command, offers[index] ?? null));
  const plain = decisions.flatMap((decision) =>
    decision.ok && decision.value.discount === null ? [decision.value] : [],
  );
  const recorded = await recordTogether(desk, plain);
  const outcomes = await Promise.all(
    decisions.map((decision, index) => {
      if (!decision.ok) return firstOutcome(desk, commands[index] as OrderCommand, decision);
      return recorded.get(decision.value.id) ?? recordAlone(desk, decision.value);
    }),
  );
  if (outcomes.some((outcome) => outcome.ok)) desk.afterCommit();
  return outcomes;
}

const idOf = (command: OrderCommand): string => idOfCommand('order', command.context.commandId);

function decide(command: OrderCommand, offer: SaleOffer | null): Outcome<NewOrder> {
  const id = idOf(command);
  // The moment the order reached the platform is in its id: its place in lists and its date agree for ever.
  const nowMs = idTimeMs(id);
  try {
    const sale = decideSale(command.body, offer, command.account.testMode, nowMs);
    return { ok: true, value: newOrder({ id, nowMs, command, sale, offer: offer as SaleOffer }) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** A refusal stands unless this very command was recorded before the catalog changed. */
async function firstOutcome(
  desk: OrderDesk,
  command: OrderCommand,
  refusal: Outcome<never>,
): Promise<Outcome<PlacedOrder>> {
  const id = idOf(command);
  try {
    const totals = await recordedTotals(desk.database, [{ id, account_id: command.context.accountId }]);
    const totalCents = totals.get(id);
    return totalCents === undefined ? refusal : { ok: true, value: { ok: true, orderId: id, totalCents } };
  } catch (err) {
    return { ok: false, error: fault(err) };
  }
}

async function recordTogether(desk: OrderDesk, orders: NewOrder[]): Promise<Map<string, Outcome<PlacedOrder>>> {
  if (orders.length === 0) return new Map();
  try {
    const totals = await insertOrders(desk.database, orders);
    return new Map(orders.map((order) => [order.id, placed(order, totals)]));
  } catch (err) {
    const error = fault(err);
    if (error instanceof DomainError || orders.length === 1) {
      return new Map(orders.map((order) => [order.id, { ok: false, error }]));
    }
    // One of them cannot be written: each goes alone, so that only that one fails.
    return new Map();
  }
}

async function recordAlone(desk: OrderDesk, order: NewOrder): Promise<Outcome<PlacedOrder>> {
  try {
    const insert =
      order.discount === null ? insertOrders(desk.database, [order]) : insertDiscounted(desk.database, order);
    return placed(order, await insert);
  } catch (err) {
    return { ok: false, error: fault(err) };
  }
}

function placed(order: NewOrder, totals: ReadonlyMap<string, number>): Outcome<PlacedOrder> {
  return { ok: true, value: { ok: true, orderId: order.id, totalCents: totals.get(order.id) ?? order.totalCents } };
}

/** A commit whose answer was lost may have happened: the caller must ask again, not conclude. */
function fault(err: unknown): unknown {
  if (err instanceof DomainError || !isOutage(err)) return err;
  return new DomainError('outcome_unknown', 'The database did not answer.');
}
