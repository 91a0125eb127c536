import { nextNewEvents, nextOlderEvents } from './conservation-ranges.ts';
import { type Proof, proveRanges } from './prove-ranges.ts';
import { isGap, recordProofs } from './record-proofs.ts';
import { type RepairDeps, repairDeliveries } from './repair-deliveries.ts';
import { finishTurn, holdTurn, type Turn, takeTurn } from './turn.ts';

export interface ConservationDeps extends RepairDeps {
  readonly intervalSeconds: number;
}

/** After an outage there may be more than a run gets done: the next one continues. */
const newEventsMaxMs = 20_000;
/**
 * What a run spends on older events: some 40 batches, 40,000 events a minute and 57 million a day. So a million events a
 * day, kept for 30 days, are proved again about twice a day, for less than a hundredth of one connection's time.
 */
const olderEventsMaxMs = 500;
/**
 * One run: proves, for each account, that every event has its number and every delivery that an event names has a row,
 * and makes again what is lost. New events first, then some of the older ones in turn, in short transactions: a process
 * that is killed between two of them costs nothing, because each writes how far it is, and what it found and did not
 * repair yet. Does nothing while another replica has the turn.
 * @returns whether this process had the turn
 */
export async function proveConservation(deps: ConservationDeps, closing: () => boolean): Promise<boolean> {
  const runId = await takeTurn(deps.database, deps.intervalSeconds);
  if (runId === undefined) return false;
  const isComplete = await proveNewEvents(deps, runId, closing);
  await repairDeliveries(deps, runId, closing);
  await proveOlderEvents(deps, runId, closing);
  await repairDeliveries(deps, runId, closing);
  if (isComplete) await finishTurn(deps.database, runId);
  return true;
}

/** Returns whether none is left. */
async function proveNewEvents(deps: ConservationDeps, runId: number, closing: () => boolean): Promise<boolean> {
  const untilMs = performance.now() + newEventsMaxMs;
  let fromAccount = '';
  while (!closing() && performance.now() < untilMs) {
    const ended = await proveBatch(deps, runId, false, (client) => nextNewEvents(client, fromAccount));
    if (ended === undefined) return false;
    if (ended.isLast) return true;
    fromAccount = ended.ranges.at(-1)?.accountId ?? fromAccount;
  }
  return false;
}

async function proveOlderEvents(deps: ConservationDeps, runId: number, closing: () => boolean): Promise<void> {
  const untilMs = performance.now() + olderEventsMaxMs;
  const nowMs = deps.clock.nowMs();
  do {
    const ended = await proveBatch(deps, runId, true, (client, turn) => nextOlderEvents(client, nowMs, turn));
    if (ended === undefined || ended.isLast) return;
  } while (!closing() && performance.now() < untilMs);
}

type NextBatch = (
  client: Parameters<typeof nextNewEvents>[0],
  turn: Turn,
) => Promise<Awaited<ReturnType<typeof nextNewEvents>>>;

/** Proves one batch in one transaction; undefined when another process has the turn. */
async function proveBatch({ database, logger }: ConservationDeps, runId: number, older: boolean, next: NextBatch) {
  const ended = await database.transaction(async (client) => {
    const turn = await holdTurn(client, runId);
    if (turn === undefined) return undefined;
    const batch = await next(client, turn);
    const proofs = batch.ranges.length === 0 ? [] : await proveRanges(client, batch.ranges);
    await recordProofs(client, runId, proofs, { older });
    await batch.done();
    return { ...batch, proofs };
  });
  for (const proof of ended?.proofs.filter(isGap) ?? []) logGap({ logger }, runId, proof);
  return ended;
}

function logGap({ logger }: Pick<ConservationDeps, 'logger'>, runId: number, { range, lost, lostEvents }: Proof): void {
  const { accountId } = range;
  const about = { runId, accountId, deliveryIds: lost.map(({ id }) => id), sequences: lostEvents };
  logger.error(about, 'conservation: deliveries or events of the account are lost');
}
