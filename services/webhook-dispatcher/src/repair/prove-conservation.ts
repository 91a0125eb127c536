import { conservationProved } from '../points/points.ts';
import { nextNewEvents, nextOlderEvents } from './conservation-ranges.ts';
import { finishRun, lockRun, type RoundPosition, takeRun } from './conservation-run.ts';
import { type Proof, proveRanges } from './prove-ranges.ts';
import { isGap, recordProofs } from './record-proofs.ts';
import { type RemakeDeps, remakeDeliveries } from './remake-deliveries.ts';

export interface ConservationDeps extends RemakeDeps {
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
 * make again yet. Does nothing before a run is due (conservation-run.ts).
 * @returns whether this process took a run
 */
export async function proveConservation(deps: ConservationDeps, closing: () => boolean): Promise<boolean> {
  const runId = await takeRun(deps.database, deps.intervalSeconds);
  if (runId === undefined) return false;
  const isComplete = await proveNewEvents(deps, runId, closing);
  await remakeDeliveries(deps, runId, closing);
  await proveOlderEvents(deps, runId, closing);
  await remakeDeliveries(deps, runId, closing);
  if (isComplete) await finishRun(deps.database, runId);
  conservationProved.announce(() => ({ runId, isComplete }));
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
    const ended = await proveBatch(deps, runId, true, (client, position) => nextOlderEvents(client, nowMs, position));
    if (ended === undefined || ended.isLast) return;
  } while (!closing() && performance.now() < untilMs);
}

type NextBatch = (
  client: Parameters<typeof nextNewEvents>[0],
  position: RoundPosition,
) => Promise<Awaited<ReturnType<typeof nextNewEvents>>>;

/** Proves one batch in one transaction; undefined when another process has taken the next run. */
async function proveBatch({ database, logger }: ConservationDeps, runId: number, older: boolean, next: NextBatch) {
  const ended = await database.transaction(async (client) => {
    const position = await lockRun(client, runId);
    if (position === undefined) return undefined;
    const batch = await next(client, position);
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
  const logFields = { runId, accountId, deliveryIds: lost.map(({ id }) => id), sequences: lostEvents };
  logger.error(logFields, 'deliveries or events of an account are lost');
}
