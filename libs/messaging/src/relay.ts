import type { Logger } from '@app/service-kit/logger';
import { Client } from 'pg';
import type { NatsLink } from './connect.ts';
import { openPublisher, prunePublished, publishBatch, republishLost } from './publish-outbox.ts';
import { ensureStream, openStreams } from './streams.ts';
import { createWaker, type Waker } from './waker.ts';

/**
 * Publishes a service's outbox to its stream, in the order the rows were written, many at a time.
 *
 *   stand-by ── advisory lock won ──▶ leading ── session lost / closed ──▶ stand-by
 *
 * One replica leads: the lock and the work are one database session, so a leader that lost its session can mark
 * nothing as published. Leading: mark what the stream lost as unpublished, then publish until nothing waits, then
 * sleep until a commit wakes it or the sweep is due. A crash between publish and mark publishes again under the
 * same message id; the stream drops it within its window, and every consumer's inbox drops it after that.
 */
export interface Relay {
  /** Tells the leader, here or in another replica, that a transaction with events was committed. */
  wake(): void;
  /** Publishes what can be published, then stops. */
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly link: NatsLink;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly streamReplicas: number;
}

/** Wakes can get lost (a replica that dies after its commit): the sweep finds what they would have told. */
const sweepIntervalMs = 1_000;
const pruneEveryMs = 10_000;
const retryPauseMs = 250;
/** A server that went silent is given up after this; above every statement's own limit. */
const queryTimeoutMs = 20_000;

const wakeSubject = (service: string): string => `wake.${service}.outbox`;

type RelayState = { closing: boolean; leading: boolean };

export function startRelay(options: RelayOptions): Relay {
  const waker = createWaker();
  const state: RelayState = { closing: false, leading: false };
  const subject = wakeSubject(options.link.service);
  // Stand-bys hear it too; what wakes them is only their own next look at the lock.
  const wakeLeader = (): void => {
    if (state.leading) waker.wake();
  };
  const subscription = options.link.connection.subscribe(subject, { callback: wakeLeader });
  const stopListening = options.link.onRestored(wakeLeader);
  const running = stayInService(options, waker, state);
  return {
    wake: () => {
      if (state.leading) waker.wake();
      else if (options.link.connected()) options.link.connection.publish(subject);
    },
    close: async () => {
      state.closing = true;
      stopListening();
      waker.wake();
      await running;
      if (!options.link.connection.isClosed()) subscription.unsubscribe();
    },
  };
}

/** Tries to lead for as long as the service lives; whatever goes wrong ends one term, not the relay. */
async function stayInService(options: RelayOptions, waker: Waker, state: RelayState): Promise<void> {
  while (!state.closing) {
    const session = new Client({
      connectionString: options.databaseUrl,
      application_name: `${options.link.service}-relay`,
      connectionTimeoutMillis: 5_000,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    });
    session.on('error', () => waker.wake());
    try {
      await session.connect();
      if (await winLock(session, waker, state)) await lead(options, session, waker, state);
    } catch (err) {
      if (!state.closing) options.logger.warn({ err }, 'outbox relay starts over');
      await waker.sleep(retryPauseMs);
    } finally {
      state.leading = false;
      await session.end().catch(() => undefined);
    }
  }
}

async function winLock(session: Client, waker: Waker, state: RelayState): Promise<boolean> {
  while (!state.closing) {
    const { rows } = await session.query<{ won: boolean }>(
      `select pg_try_advisory_lock(hashtext('outbox-relay')) as won`,
    );
    if (rows[0]?.won) return true;
    await waker.sleep(sweepIntervalMs);
  }
  return false;
}

async function lead(options: RelayOptions, session: Client, waker: Waker, state: RelayState): Promise<void> {
  const { link, logger } = options;
  const manager = await openStreams(link);
  const publisher = await openPublisher({ link, session, manager, logger });
  state.leading = true;
  const compare = { due: true };
  const stopListening = link.onRestored(() => {
    compare.due = true;
  });
  let prunedMs = Date.now();
  try {
    while (!state.closing) {
      if (compare.due && link.connected()) {
        compare.due = false;
        await ensureStream(manager, link.service, options.streamReplicas);
        await republishLost(publisher);
      }
      if ((await publishBatch(publisher)) === 0) await waker.sleep(sweepIntervalMs);
      if (Date.now() - prunedMs > pruneEveryMs && !(await prunePublished(publisher))) prunedMs = Date.now();
    }
    while ((await publishBatch(publisher)) > 0);
  } finally {
    stopListening();
  }
}
