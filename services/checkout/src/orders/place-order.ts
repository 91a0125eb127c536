import type { SaleOffer } from '@app/contracts/catalog';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import type { Requester } from '@app/messaging/requester';
import { type Batcher, createBatcher, type Outcome } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
import { diskFullDetail, isDiskFull, isOutage } from '@app/service-kit/outages';
import { inBatchSpan } from '@app/service-kit/tracing';
import { creditedPartners, nobodyCredited } from './credited-partners.ts';
import { currentOffers } from './current-offers.ts';
import { type NewOrder, newOrder } from './new-order.ts';
import { decideSale, discountUsedUp } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';
import { type OrderKey, type PlacedOrder, placed, recordedOutcomes, recordRefusals } from './order-outcomes.ts';
import { isOvertaken, recordOrders } from './record-orders.ts';

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
 * question to the catalog and one statement, however many orders it holds, and a lone order waits for nobody. Orders that
 * name a partner code have batches of their own: while the affiliate service is slow to answer, they delay no others.
 *
 * An order's id is its command's id. A command that comes again (its answer was lost) finds its order or its refusal
 * recorded and gets that outcome, whatever the catalog says by now. One that comes again while its order still waits takes no
 * second place: it waits for the same outcome, so that a database that stands still does not fill the queue.
 */
export function createOrderBatcher(desk: OrderDesk): OrderQueue {
  const newBatcher = () =>
    createBatcher<WaitingOrder, PlacedOrder>({
      maxBatch: batchMax,
      maxWaiting: waitingMax,
      concurrency: 2,
      run: (batch) => placeInTime(desk, batch),
    });
  const plain = newBatcher();
  const withPartnerCode = newBatcher();
  const underWay = new Map<string, { order: WaitingOrder; outcome: Promise<PlacedOrder> }>();
  return {
    close: async () => void (await Promise.all([plain.close(), withPartnerCode.close()])),
    add: (command) => {
      const { accountId, commandId, deadlineMs } = command.context;
      const key = `${accountId}/${commandId}`;
      const first = underWay.get(key);
      if (first !== undefined) {
        first.order.deadlineMs = Math.max(first.order.deadlineMs, deadlineMs);
        return first.outcome;
      }
      const order: WaitingOrder = { command, deadlineMs };
      const batcher = command.body.affiliateCode ? withPartnerCode : plain;
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
  const items = () => commands.map(({ context }) => ({ name: 'place order', traceparent: context.traceparent }));
  const attributes = { 'app.orders': commands.length };
  return await inBatchSpan('place orders', { service: 'checkout', attributes, items }, () =>
    placeOrders(desk, commands),
  );
}

function tooLate(): DomainError {
  return new DomainError('service_unavailable', 'The order waited for too long and was not recorded; try again.');
}

async function placeOrders(desk: OrderDesk, commands: OrderCommand[]): Promise<Outcome<PlacedOrder>[]> {
  const [offers, credits] = await Promise.all([
    currentOffers(desk.requester, commands),
    creditedPartners(desk.requester, commands),
  ]);
  const decisions = commands.map((command, index) =>
    decide(command, offers[index] ?? null, credits[index] ?? nobodyCredited),
  );
  const decided = decisions.flatMap((decision) => (decision.ok ? [decision.value] : []));
  const recorded = await recordAll(desk.database, decided);
  const outcomes = decisions.map((decision) => (decision.ok ? recorded.get(decision.value.id) : decision));
  if (outcomes.some((outcome) => outcome?.ok)) desk.afterCommit();
  return await refuseForGood(desk.database, commands, outcomes as Outcome<PlacedOrder>[]);
}

/** A refusal stands unless another try of the same command was recorded: then that is its outcome. */
async function refuseForGood(
  database: Database,
  commands: readonly OrderCommand[],
  outcomes: readonly Outcome<PlacedOrder>[],
): Promise<Outcome<PlacedOrder>[]> {
  const refused = commands.flatMap((command, index) => {
    const { error } = outcomes[index] as { error?: unknown };
    return error instanceof DomainError && !isOutage(error) ? [{ ...keyOf(command), error }] : [];
  });
  if (refused.length === 0) return [...outcomes];
  const final = await recordRefusals(database, refused).catch(
    (err: unknown): Outcomes => new Map(refused.map(({ id }) => [id, { ok: false, error: fault(err) }])),
  );
  return commands.map((command, index) => final.get(keyOf(command).id) ?? (outcomes[index] as Outcome<PlacedOrder>));
}

const keyOf = ({ context }: OrderCommand): OrderKey => ({
  id: idOfCommand('order', context.commandId),
  account_id: context.accountId,
});

function decide(command: OrderCommand, offer: SaleOffer | null, credit: Outcome<string | null>): Outcome<NewOrder> {
  const { id } = keyOf(command);
  // The moment the order reached the platform is in its id: its place in lists and its date agree for ever.
  const nowMs = idTimeMs(id);
  try {
    const sale = decideSale(command.body, offer, command.account.testMode, nowMs);
    if (!credit.ok) return credit;
    const order = { id, nowMs, command, sale, offer: offer as SaleOffer, creditedCode: credit.value };
    return { ok: true, value: newOrder(order) };
  } catch (error) {
    return { ok: false, error };
  }
}

type Outcomes = Map<string, Outcome<PlacedOrder>>;

/** Records the orders together or, when one of them cannot be written or was overtaken, each alone. */
async function recordAll(database: Database, orders: readonly NewOrder[]): Promise<Outcomes> {
  if (orders.length === 0) return new Map();
  try {
    return await record(database, orders);
  } catch (err) {
    const error = fault(err);
    if (error instanceof DomainError) return new Map(orders.map(({ id }) => [id, { ok: false, error }]));
    const alone = await Promise.all(orders.map((order) => recordAlone(database, order)));
    return new Map(orders.map(({ id }, index) => [id, alone[index] as Outcome<PlacedOrder>]));
  }
}

async function recordAlone(database: Database, order: NewOrder): Promise<Outcome<PlacedOrder>> {
  try {
    return (await record(database, [order])).get(order.id) as Outcome<PlacedOrder>;
  } catch (err) {
    return isOvertaken(err) ? await outcomeOfOther(database, order) : { ok: false, error: fault(err) };
  }
}

/** Of the try that was faster. */
async function outcomeOfOther(database: Database, order: NewOrder): Promise<Outcome<PlacedOrder>> {
  const undecided = new DomainError('outcome_unknown', 'The same order is being recorded.');
  try {
    return (await recordedOutcomes(database, [order])).get(order.id) ?? { ok: false, error: undecided };
  } catch (err) {
    return { ok: false, error: fault(err) };
  }
}

async function record(database: Database, orders: readonly NewOrder[]): Promise<Outcomes> {
  const { recorded, usedUp } = await recordOrders(database, orders);
  const [fresh, unlucky] = [new Set(recorded), new Set(usedUp)];
  const repeated = orders.filter(({ id }) => !fresh.has(id) && !unlucky.has(id));
  const before: Outcomes = repeated.length === 0 ? new Map() : await recordedOutcomes(database, repeated);
  const outcomeOf = (order: NewOrder): Outcome<PlacedOrder> => {
    if (fresh.has(order.id)) return placed(order.id, order.total_cents);
    if (unlucky.has(order.id)) return { ok: false, error: discountUsedUp(order.discount_code ?? '') };
    return before.get(order.id) ?? { ok: false, error: new Error(`the id ${order.id} is another account's order`) };
  };
  return new Map(orders.map((order) => [order.id, outcomeOf(order)]));
}

/** A commit whose answer was lost may have happened: the caller must ask again, not conclude. */
function fault(err: unknown): unknown {
  if (err instanceof DomainError || !isOutage(err)) return err;
  if (isDiskFull(err)) return new DomainError('service_unavailable', diskFullDetail);
  return new DomainError('outcome_unknown', 'The database did not answer.');
}
