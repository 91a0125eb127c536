import { statement, unnamed } from '@app/service-kit/database';
import { type LockSession, openLockSession } from '@app/service-kit/lock-session';
import type { Logger } from '@app/service-kit/logger';
import { alongIndexes } from '@app/service-kit/planner';
import { createWaker, type Waker } from '@app/service-kit/waker';
import { TimeoutError } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import { leadingBegan, publishingFailed } from './points.ts';
import {
  batchMax,
  openPublisher,
  type Publisher,
  prunePublished,
  publishBatch,
  republishLost,
} from './publish-outbox.ts';
import { openStreams } from './streams.ts';

/**
 * Publishes a service's outbox to its stream, many rows at a time, by id among those that are committed. From there each consuming service
 * has them by `startConsumers`.
 *
 *   stand-by ── advisory lock won ──▶ leading ── session lost / no NATS for 5 s / closed ──▶ stand-by
 *
 * One replica leads: the lock and the work are one database session, so a leader that lost its session can mark
 * nothing as published. Leading: mark what the stream lost as unpublished, then publish until nothing waits, then
 * sleep until a commit wakes it or the sweep is due. A crash between publish and mark publishes again under the
 * same message id; the stream drops it within its window, and every consumer's inbox drops it after that.
 */
export interface Relay {
  /** Wakes the leader, here or in another replica: a transaction with events was committed. */
  wake(): void;
  /** Publishes what can be published, then stops. */
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly nats: NatsClient;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Between two sweeps for rows whose wake was lost; 1,000 unless given. */
  readonly sweepMs?: number;
}

/** Wakes can get lost (a replica that dies after its commit): the sweep finds the rows that they were sent for. */
const sweepMsDefault = 1_000;
const pruneEveryMs = 10_000;
/** The keeper may have given the stream another bound. */
const roomEveryMs = 60_000;
/** After a failed term; it doubles with each that follows, up to the longest. */
const retryPauseMs = 250;
const retryPauseMaxMs = 5_000;
/** A stand-by tries the lock once a second: one that reaches NATS gets it before a leader that did not. */
const outpacedPauseMs = 1_500;
/** A leader without NATS steps down; nats-server restarts within this. */
const giveUpAfterMs = 5_000;

const wakeSubject = (service: string): string => `wake.${service}.outbox`;

/** `pausing`: after a term as the leader that failed. */
type RelayState = { closing: boolean; leading: boolean; pausing: boolean };

export function startRelay(options: RelayOptions): Relay {
  const waker = createWaker();
  const state: RelayState = { closing: false, leading: false, pausing: false };
  const subject = wakeSubject(options.nats.service);
  // Stand-bys receive it too; they wait for their own next attempt of the lock. A leader that pauses may have none.
  const wakeLeader = (): void => {
    if (state.leading || state.pausing) waker.wake();
  };
  const subscription = options.nats.connection.subscribe(subject, { callback: wakeLeader });
  // A stand-by without NATS does not try the lock: now it may.
  const stopListening = options.nats.onRestored(waker.wake);
  const running = stayInService(options, waker, state);
  return {
    wake: () => {
      if (state.leading) waker.wake();
      else if (options.nats.connected()) options.nats.connection.publish(subject);
    },
    close: async () => {
      state.closing = true;
      stopListening();
      waker.wake();
      await running;
      if (!options.nats.connection.isClosed()) subscription.unsubscribe();
    },
  };
}

/**
 * Tries to lead for as long as the service lives; whatever goes wrong ends one term, not the relay. No startLoop: a term has
 * no end of its own, and what wakes the relay wakes it within its term.
 */
async function stayInService(options: RelayOptions, waker: Waker, state: RelayState): Promise<void> {
  const { nats, logger, sweepMs = sweepMsDefault } = options;
  const logFailure = logRelayFailures(logger);
  let failures = 0;
  while (!state.closing) {
    if (!nats.connected()) {
      await waker.sleep(sweepMs);
      continue;
    }
    let session: LockSession | undefined;
    try {
      session = await openLockSession(sessionOf(options), waker.wake, sessionSettings);
      if (await winLock(options, session, waker, state))
        await lead(options, session, waker, state, () => (failures = 0));
    } catch (err) {
      if (!state.closing) logFailure(err);
      publishingFailed.announce(() => ({ service: nats.service, error: String(err) }));
      const pauseMs = Math.min(retryPauseMaxMs, retryPauseMs * 2 ** failures);
      failures += 1;
      // The lock ends with the session: another replica may lead during the pause, and what wakes this one wakes that one.
      state.pausing = state.leading;
      state.leading = false;
      await session?.close();
      session = undefined;
      const leastMs = err instanceof TimeoutError ? outpacedPauseMs : retryPauseMs;
      await pause(waker, state, leastMs, Math.max(leastMs, pauseMs));
    } finally {
      state.leading = false;
      state.pausing = false;
      await session?.close();
    }
  }
}

/** A wake ends it, though not before `leastMs`: while commits go on, each would begin a term, and no stand-by would lead. */
async function pause(waker: Waker, state: RelayState, leastMs: number, pauseMs: number): Promise<void> {
  const untilMs = performance.now() + leastMs;
  let woken = false;
  for (let leftMs = leastMs; leftMs > 0 && !state.closing; leftMs = untilMs - performance.now())
    if (await waker.sleep(leftMs)) woken = true;
  if (!woken) await waker.sleep(pauseMs - leastMs);
}

const sessionSettings = {
  // No write waits for the disk when rows are marked: should the server crash within the next half second, they are
  // published again under the same message ids, as after a crash between publish and mark.
  synchronous_commit: 'off',
  ...alongIndexes,
};

const sessionOf = ({ databaseUrl, nats }: RelayOptions) => ({
  connectionString: databaseUrl,
  application_name: `${nats.service}-relay`,
});

const logAgainAfterMs = 30_000;

/** A failure that repeats is logged every half minute. */
function logRelayFailures(logger: Logger): (err: unknown) => void {
  let logged = { message: '', atMs: 0 };
  return (err) => {
    const message = err instanceof Error ? err.message : String(err);
    if (message === logged.message && performance.now() - logged.atMs < logAgainAfterMs) return;
    logged = { message, atMs: performance.now() };
    logger.warn({ err }, 'outbox relay restarted after an error');
  };
}

const lockStatement = statement<{ won: boolean }>(
  'outbox-relay-lock',
  `select pg_try_advisory_lock(hashtext('outbox-relay')) as won`,
  { won: 'bool' },
);

async function winLock(
  { nats, sweepMs = sweepMsDefault }: RelayOptions,
  { client }: LockSession,
  waker: Waker,
  state: RelayState,
): Promise<boolean> {
  while (!state.closing && nats.connected()) {
    const { rows } = await client.query(unnamed(lockStatement()));
    if (rows[0]?.won) return true;
    await waker.sleep(sweepMs);
  }
  return false;
}

async function lead(
  options: RelayOptions,
  session: LockSession,
  waker: Waker,
  state: RelayState,
  succeeded: () => void,
): Promise<void> {
  const { nats, logger, sweepMs = sweepMsDefault } = options;
  const manager = await openStreams(nats);
  const publisher = await openPublisher({ nats, session: session.client, manager, logger });
  state.leading = true;
  leadingBegan.announce(() => ({ service: nats.service }));
  const due = { compareMs: 0, roomMs: performance.now() + roomEveryMs, pruneMs: performance.now() + pruneEveryMs };
  const stopListening = nats.onRestored(() => {
    due.compareMs = 0;
  });
  try {
    while (!state.closing && !isCutOff(nats)) {
      if (nats.connected()) await compareStream(publisher, due);
      // What was committed since the scan wakes the relay, or woke it already.
      if ((await publishBatch(publisher)) < batchMax) await waker.sleep(sweepMs);
      succeeded();
      const pruned = performance.now() >= due.pruneMs && !(await prunePublished(publisher));
      if (pruned) due.pruneMs = performance.now() + pruneEveryMs;
    }
    publisher.scan.startOver();
    while ((await publishBatch(publisher)) > 0);
  } finally {
    stopListening();
    publisher.stream.close();
  }
}

const isCutOff = (nats: NatsClient): boolean => !nats.connected() && nats.sinceChangeMs() > giveUpAfterMs;

/** Compares stream and outbox once after each connecting. */
async function compareStream(publisher: Publisher, due: { compareMs: number; roomMs: number }): Promise<void> {
  const nowMs = performance.now();
  if (nowMs >= due.compareMs) {
    due.compareMs = Number.POSITIVE_INFINITY;
    await republishLost(publisher);
  }
  if (nowMs >= due.roomMs) {
    due.roomMs = nowMs + roomEveryMs;
    publisher.room.checkAgain();
  }
}
