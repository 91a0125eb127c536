import { streamName } from '@app/contracts/define';
import type { Logger } from '@app/service-kit/logger';
import { type JetStreamClient, type JetStreamManager, jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { Client } from 'pg';
import type { NatsLink } from './connect.ts';
import { ensureStream, openStreams } from './streams.ts';
import { createWaker, type Waker } from './waker.ts';

/**
 * Publishes a service's outbox to its stream, in the order the rows were written, many at a time.
 *
 *   stand-by ── advisory lock won ──▶ leading ── connection lost / closed ──▶ stand-by
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
/** Publishes in flight at once: enough to fill the pipe, few enough that an outage repeats little. */
const batchMax = 500;
const publishTimeoutMs = 5_000;
/** Published rows kept in case the stream loses its tail: thirty times nats-server's two minutes between flushes. */
const keepPublishedMinutes = 60;
const pruneEveryMs = 60_000;
const pruneMax = 50_000;
const retryPauseMs = 250;

const wakeSubject = (service: string): string => `wake.${service}.outbox`;

interface PendingRow {
  readonly id: string;
  readonly event_id: string;
  readonly subject: string;
  readonly payload: string;
  readonly request_id: string | null;
  readonly traceparent: string | null;
}

export function startRelay(options: RelayOptions): Relay {
  const waker = createWaker();
  const subject = wakeSubject(options.link.service);
  const subscription = options.link.connection.subscribe(subject, { callback: () => waker.wake() });
  const state = { closing: false, leading: false };
  const stopListening = options.link.onRestored(() => waker.wake());
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

type RelayState = { closing: boolean; leading: boolean };

/** Tries to lead for as long as the service lives; whatever goes wrong ends one term, not the relay. */
async function stayInService(options: RelayOptions, waker: Waker, state: RelayState): Promise<void> {
  while (!state.closing) {
    const session = new Client({
      connectionString: options.databaseUrl,
      application_name: `${options.link.service}-relay`,
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
  const manager = await openStreams(options.link);
  await ensureStream(manager, options.link.service, options.streamReplicas);
  const client = jetstream(options.link.connection, { timeout: publishTimeoutMs });
  state.leading = true;
  const rewind = { due: true };
  const stopListening = options.link.onRestored(() => {
    rewind.due = true;
  });
  let prunedMs = Date.now();
  try {
    while (!state.closing) {
      if (rewind.due) {
        rewind.due = false;
        await ensureStream(manager, options.link.service, options.streamReplicas);
        await republishLost(options, session, manager);
      }
      const published = await publishBatch(session, client);
      if (published === 0) await waker.sleep(sweepIntervalMs);
      if (Date.now() - prunedMs > pruneEveryMs) {
        await session.query(pruneSql, [keepPublishedMinutes, pruneMax]);
        prunedMs = Date.now();
      }
    }
    while (options.link.connected() && (await publishBatch(session, client)) > 0);
  } finally {
    stopListening();
  }
}

const pruneSql = `
  delete from outbox where id in (
    select id from outbox
    where stream_seq is not null and created_at < now() - make_interval(mins => $1)
    order by id limit $2)`;

/** A stream that ends before a row's sequence has lost that row: it is published once more. */
async function republishLost(options: RelayOptions, session: Client, manager: JetStreamManager): Promise<void> {
  const info = await manager.streams.info(streamName(options.link.service));
  const lost = await session.query('update outbox set stream_seq = null where stream_seq > $1', [info.state.last_seq]);
  if (lost.rowCount) options.logger.warn({ events: lost.rowCount }, 'the stream lost events; publishing them again');
}

/** Ordered by the number: `order by id` alone would mean the text that is selected. */
const pendingQuery = {
  name: 'outbox-pending',
  text: `select o.id::text, event_id, subject, payload, request_id, traceparent
         from outbox as o where stream_seq is null order by o.id limit ${batchMax}`,
};

/** Publishes one batch and marks it. Returns how many rows the stream took; throws when it took none of them. */
async function publishBatch(session: Client, client: JetStreamClient): Promise<number> {
  const { rows } = await session.query<PendingRow>(pendingQuery);
  if (rows.length === 0) return 0;
  const outcomes = await Promise.allSettled(rows.map((row) => publishRow(client, row)));
  const ids: string[] = [];
  const sequences: number[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') continue;
    ids.push(rows[index]?.id as string);
    sequences.push(outcome.value);
  }
  if (ids.length > 0) {
    await session.query({
      name: 'outbox-mark',
      text: `update outbox set stream_seq = p.seq from unnest($1::bigint[], $2::bigint[]) as p (id, seq) where outbox.id = p.id`,
      values: [ids, sequences],
    });
  }
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return rows.length;
}

async function publishRow(client: JetStreamClient, row: PendingRow): Promise<number> {
  const carried = headers();
  if (row.request_id !== null) carried.set('request-id', row.request_id);
  if (row.traceparent !== null) carried.set('traceparent', row.traceparent);
  const ack = await client.publish(row.subject, row.payload, {
    msgID: row.event_id,
    headers: carried,
    timeout: publishTimeoutMs,
  });
  return ack.seq;
}
