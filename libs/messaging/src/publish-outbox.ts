import { streamName } from '@app/contracts/define';
import { statement, unnamed } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOneRow, sameKey } from '@app/service-kit/planner';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import type { JetStreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { Client } from 'pg';
import { renewOwnDurables } from './ask-keeper.ts';
import type { NatsClient } from './connect.ts';
import { createOutboxScan, type OutboxScan } from './outbox-scan.ts';
import { eventsPublished } from './points.ts';
import { publishSpan } from './spans.ts';
import { openStreamPublisher, type PublishAck, type StreamPublisher } from './stream-publisher.ts';
import { openStreamRoom, type StreamRoom } from './stream-room.ts';
import { isMissing } from './streams.ts';

/**
 * A leader's hold on outbox and stream. `highestSeq` is the highest sequence number in the stream that any row was marked with: an
 * event that is new to the stream and gets it or a lower one shows that the stream lost its tail and counts anew.
 */
export interface Publisher {
  readonly nats: NatsClient;
  readonly session: Client;
  readonly manager: JetStreamManager;
  readonly stream: StreamPublisher;
  readonly room: StreamRoom;
  readonly logger: Logger;
  highestSeq: number;
  /** The highest sequence number whose row was deleted. */
  prunedSeq: number;
  readonly scan: OutboxScan;
}

/** Publishes in flight at once: enough to fill the pipe, few enough that an outage repeats little. */
export const batchMax = 500;
/** Published rows kept in case the stream loses its tail: thirty times nats-server's two minutes between flushes. */
const keepPublishedMinutes = 60;
/** What pruning with nothing due reads at most; as many as a batch publishes, so that pruning keeps up. */
const pruneMax = batchMax;

interface PendingRow {
  readonly id: string;
  readonly event_id: string;
  readonly subject: string;
  readonly payload: string;
  readonly request_id: string | null;
  readonly traceparent: string | null;
}

const highestSeqStatement = statement<{ seq: string }>(
  'outbox-highest-seq',
  'select coalesce(max(stream_seq), 0)::text as seq from outbox',
  { seq: 'text' },
);

export async function openPublisher(
  base: Pick<Publisher, 'nats' | 'session' | 'manager' | 'logger'>,
): Promise<Publisher> {
  const { rows } = await base.session.query(unnamed(highestSeqStatement()));
  return {
    ...base,
    stream: openStreamPublisher(base.nats),
    room: openStreamRoom(base.manager, streamName(base.nats.service)),
    highestSeq: Number(rows[0]?.seq ?? 0),
    prunedSeq: 0,
    scan: createOutboxScan(),
  };
}

/** Ordered by the number: `order by id` alone would mean the text that is selected. */
export const pendingStatement = statement<PendingRow>(
  'outbox-pending',
  `select o.id::text, event_id, subject, payload, request_id, traceparent
         from outbox as o where stream_seq is null and o.id > $1 order by o.id limit ${batchMax}`,
  { id: 'text', event_id: 'text', subject: 'text', payload: 'text', request_id: 'text', traceparent: 'text' },
);

/**
 * Publishes one batch in the order of its rows' ids and marks what the stream acknowledged. Transactions that run at the
 * same time may be published in either order, and rows whose publish failed come after what was published meanwhile.
 * @returns how many rows the batch had; 0 also when NATS is away
 * @throws the first failure, after marking the others; an Error too when the stream has no room for all of them
 */
export async function publishBatch(publisher: Publisher): Promise<number> {
  if (!publisher.nats.connected()) return 0;
  const { scan, room } = publisher;
  const { rows: found } = await publisher.session.query(pendingStatement([scan.from()]));
  scan.saw(found.at(-1)?.id);
  if (found.length === 0) return 0;
  const rows = found.slice(0, await room.take(found.map(sizeOf)));
  const outcomes = await untilLost(publisher.nats, Promise.allSettled(rows.map((row) => publishRow(publisher, row))));
  // What is lost with the connection is not marked, and so published again under the same message ids.
  if (outcomes === 'lost') return 0;
  const acknowledged = outcomes.flatMap((outcome, index) => {
    return outcome.status === 'fulfilled' ? [{ id: rows[index]?.id as string, ...outcome.value }] : [];
  });
  await unmarkReused(publisher, acknowledged);
  await mark(publisher, acknowledged);
  announcePublished(publisher, rows, outcomes);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  if (rows.length < found.length) throw new Error('the stream is full; events wait in the outbox until it has room');
  return rows.length;
}

function announcePublished(
  { nats }: Publisher,
  rows: readonly PendingRow[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): void {
  eventsPublished.announce(() => {
    const published = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    return { service: nats.service, events: published.map(({ event_id, subject }) => ({ id: event_id, subject })) };
  });
}

/** What nats-server adds to an event at most: its record's frame, names of headers, and a traceparent. */
const frameBytes = 256;

/** How many bytes of the stream an event takes, or somewhat more. */
const sizeOf = ({ event_id, subject, payload, request_id }: PendingRow): number =>
  frameBytes + event_id.length + subject.length + (request_id?.length ?? 0) + Buffer.byteLength(payload);

/** The event carries its publish on, so that its consumer continues there. */
async function publishRow({ stream, nats }: Publisher, row: PendingRow): Promise<PublishAck> {
  const { name, attributes } = publishSpan(row.subject, row.event_id);
  const span = { service: nats.service, kind: SpanKind.PRODUCER, attributes, parent: row.traceparent };
  return await inSpan(name, span, async () => {
    const carried = headers();
    if (row.request_id !== null) carried.append('request-id', row.request_id);
    const traceparent = currentTraceparent() ?? row.traceparent;
    if (traceparent !== null) carried.append('traceparent', traceparent);
    return await stream.publish(row.event_id, row.subject, row.payload, carried);
  });
}

/** A publish waits seconds for an acknowledgement that a lost connection will never bring. */
async function untilLost<T>(nats: NatsClient, work: Promise<T>): Promise<T | 'lost'> {
  let stop: () => void = () => undefined;
  const lost = new Promise<'lost'>((resolve) => {
    stop = nats.onLost(() => resolve('lost'));
  });
  try {
    return await Promise.race([work, lost]);
  } finally {
    stop();
  }
}

type AcknowledgedRow = PublishAck & { readonly id: string };

export const markStatement = statement(
  'outbox-mark',
  `update outbox set stream_seq = p.seq, published_at = now()
         from unnest($1::bigint[], $2::bigint[], $1::bigint[]) as p (id, seq, ${sameKey})
         where outbox.id = p.id and ${isOneRow('p')}`,
);

async function mark(publisher: Publisher, acknowledged: readonly AcknowledgedRow[]): Promise<void> {
  if (acknowledged.length === 0) return;
  const sequences = acknowledged.map((row) => row.seq);
  await publisher.session.query(markStatement([acknowledged.map((row) => row.id), sequences]));
  publisher.highestSeq = Math.max(publisher.highestSeq, ...sequences);
}

/** The stream gave sequence numbers away a second time: the rows marked with them are no longer in it. */
async function unmarkReused(publisher: Publisher, acknowledged: readonly AcknowledgedRow[]): Promise<void> {
  const low = acknowledged.filter((row) => row.seq <= publisher.highestSeq);
  if (low.length === 0) return;
  const fresh = low.filter((row) => !row.duplicate).map(({ seq }) => seq);
  const first = Math.min(...fresh, await lowestTaken(publisher, low));
  if (!Number.isFinite(first)) return;
  // Before anything is marked: after a failure these events come back as duplicates, under numbers that other rows still have.
  await renewOwnDurables(publisher.nats, first - 1);
  await unmarkFrom(publisher, first);
}

const lowestTakenStatement = statement<{ seq: string | null }>(
  'outbox-lowest-taken',
  'select min(stream_seq)::text as seq from outbox where stream_seq = any($1::bigint[]) and id <> all($2::bigint[])',
  { seq: 'text' },
);

/** The lowest of these numbers with which another row is marked; Infinity when there is none. */
async function lowestTaken({ session }: Publisher, low: readonly AcknowledgedRow[]): Promise<number> {
  const { rows } = await session.query(
    unnamed(lowestTakenStatement([low.map(({ seq }) => seq), low.map(({ id }) => id)])),
  );
  return Number(rows[0]?.seq ?? Number.POSITIVE_INFINITY);
}

/** Compares the end of the stream with what was marked; a stream that ends before a row has lost that row. */
export async function republishLost(publisher: Publisher): Promise<void> {
  const lastSeq = await lastSeqOf(publisher);
  if (lastSeq >= publisher.highestSeq) return;
  // Durables first: should that fail, the next check still finds the rows ahead of the stream.
  await renewOwnDurables(publisher.nats, lastSeq);
  await unmarkFrom(publisher, lastSeq + 1);
}

/** The keeper makes a stream that is missing: at the first start of a deployment, or after a loss. */
async function lastSeqOf({ nats, manager }: Publisher): Promise<number> {
  const stream = streamName(nats.service);
  try {
    return (await manager.streams.info(stream)).state.last_seq;
  } catch (err) {
    if (!isMissing(err)) throw err;
    await renewOwnDurables(nats, 0);
    return (await manager.streams.info(stream)).state.last_seq;
  }
}

const unmarkStatement = statement(
  'outbox-unmark',
  'update outbox set stream_seq = null, published_at = null where stream_seq >= $1',
);

async function unmarkFrom(publisher: Publisher, seq: number): Promise<void> {
  const lost = await publisher.session.query(unnamed(unmarkStatement([seq])));
  publisher.highestSeq = seq - 1;
  publisher.prunedSeq = Math.min(publisher.prunedSeq, publisher.highestSeq);
  publisher.scan.startOver();
  publisher.logger.warn({ events: lost.rowCount }, 'the stream lost events; republishing them');
}

/**
 * Rows lie in the index in the order they were published: reading the lowest numbers finds all that are due, however
 * many are not. Numbers below the last one pruned are skipped, for their entries stay in the index until a vacuum.
 */
export const pruneStatement = statement<{ stream_seq: number }>(
  'outbox-prune',
  `delete from outbox where id = any(array(
           select id from (
             select id, published_at from outbox where stream_seq > $1 order by stream_seq limit ${pruneMax}
           ) as lowest
           where published_at < now() - make_interval(mins => ${keepPublishedMinutes})))
         returning stream_seq`,
  { stream_seq: 'int8' },
);

/** Deletes rows published long ago, a bounded number. Returns whether there may be more. */
export async function prunePublished(publisher: Publisher): Promise<boolean> {
  const { rows } = await publisher.session.query(pruneStatement([publisher.prunedSeq]));
  // The relay's connection reads a bigint as text.
  publisher.prunedSeq = rows.reduce((highest, row) => Math.max(highest, Number(row.stream_seq)), publisher.prunedSeq);
  return rows.length === pruneMax;
}
