import { resolveOffers, type SaleOffer } from '@app/contracts/catalog';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import type { Requester } from '@app/messaging/requester';
import { isOutage } from '@app/messaging/retry-policy';
import { type Batcher, createBatcher, type Outcome } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
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

/**
 * Takes orders together: those that arrive while a batch is under way wait and form the next one. A batch costs one
 * question to the catalog and one statement, however many orders it holds, and a lone order waits for nobody.
 *
 * An order's id is its command's id. A command that comes again (its answer was lost) finds its order recorded and
 * gets the first outcome, whatever the catalog says by now.
 */
export function createOrderBatcher(desk: OrderDesk): Batcher<OrderCommand, PlacedOrder> {
  return createBatcher<OrderCommand, PlacedOrder>({
    maxBatch: batchMax,
    maxWaiting: waitingMax,
    concurrency: 2,
    run: (commands) => placeOrders(desk, commands),
  });
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
      if (!decision.ok) return firstOutcome(desk, idOf(commands[index] as OrderCommand), decision);
      return recorded.get(decision.value.id) ?? recordAlone(desk, decision.value);
    }),
  );
  if (outcomes.some((outcome) => outcome.ok)) desk.afterCommit();
  return outcomes;
}

/** Asked after every order of the batch arrived, so each sees every catalog change acknowledged before it. */
async function currentOffers(requester: Requester, commands: readonly OrderCommand[]): Promise<(SaleOffer | null)[]> {
  const wanted = new Map<string, { accountId: string; slug: string }>();
  const keyOf = (command: OrderCommand): string => `${command.context.accountId}/${command.body.productSlug}`;
  for (const command of commands) {
    wanted.set(keyOf(command), { accountId: command.context.accountId, slug: command.body.productSlug });
  }
  const requestId = commands[0]?.context.requestId ?? '';
  const answer = await requester.request(resolveOffers, { wanted: [...wanted.values()] }, { accountId: '', requestId });
  const byKey = new Map([...wanted.keys()].map((key, index) => [key, answer.offers[index] ?? null]));
  return commands.map((command) => byKey.get(keyOf(command)) ?? null);
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
async function firstOutcome(desk: OrderDesk, id: string, refusal: Outcome<never>): Promise<Outcome<PlacedOrder>> {
  try {
    const totalCents = (await recordedTotals(desk.database, [id])).get(id);
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
