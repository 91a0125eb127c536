import { streamName } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import type { ConsumerInfo, JetStreamManager, StreamState } from '@nats-io/jetstream';
import { listConsumers } from './durable.ts';
import { type StreamBound, trimAbove } from './streams.ts';

/** The oldest events go down to this part of the bound. */
const trimTo = 0.6;

/**
 * Keeps a stream below its bound in bytes by dropping its oldest events, those alone that every durable consumer has
 * acknowledged or does not consume. What one has not acknowledged stays; the stream fills up, says so in time, and in the end
 * refuses new events, which then wait in the outbox. Consumers are deployed before their producers: one that is missing is
 * not waited for.
 */
export async function keepWithinBound(
  manager: JetStreamManager,
  service: ServiceName,
  { maxBytes, logger }: Required<StreamBound>,
): Promise<void> {
  const stream = streamName(service);
  // Read before the consumers are: what is published meanwhile comes after all that may go.
  const { state } = await manager.streams.info(stream);
  if (state.bytes <= trimAbove * maxBytes) return;
  const { waitsFor, firstNeeded } = await slowestConsumer(manager, stream, state);
  const target = state.first_seq + Math.ceil(state.messages * (1 - (trimTo * maxBytes) / state.bytes));
  const firstKept = Math.min(target, firstNeeded);
  const dropped = Math.max(0, firstKept - state.first_seq);
  if (dropped > 0) await manager.streams.purge(stream, { seq: firstKept });
  const about = { stream, bytes: state.bytes, maxBytes, messages: state.messages, dropped };
  if (firstKept < target) logger.warn({ ...about, waitsFor }, 'the stream is nearly full of unconsumed events');
  else logger.info(about, 'pruned the oldest events: every consumer has acknowledged them');
}

interface Slowest {
  readonly waitsFor: string;
  /** The first sequence number that this consumer still needs. */
  readonly firstNeeded: number;
}

async function slowestConsumer(manager: JetStreamManager, stream: string, state: StreamState): Promise<Slowest> {
  const consumers = await listConsumers(manager, stream, state);
  if (consumers === undefined)
    return { waitsFor: 'a consumer that nats-server did not list', firstNeeded: state.first_seq };
  if (consumers.length === 0) return { waitsFor: 'its first consumer', firstNeeded: state.first_seq };
  let slowest: Slowest = { waitsFor: '', firstNeeded: state.last_seq + 1 };
  for (const consumer of consumers) {
    const firstNeeded = await firstNeededBy(manager, stream, consumer, state);
    if (firstNeeded < slowest.firstNeeded) slowest = { waitsFor: consumer.name, firstNeeded };
  }
  return slowest;
}

/**
 * The floor of a durable does not pass over kinds that it does not consume, and its count of pending events is kept apart
 * from the stream: the stream itself is read for the first event of its kind above the floor. It may be under work, not
 * delivered yet, or acknowledged out of order; those before it are of other kinds or were acknowledged.
 */
async function firstNeededBy(
  manager: JetStreamManager,
  stream: string,
  { ack_floor, config }: ConsumerInfo,
  state: StreamState,
): Promise<number> {
  const seq = ack_floor.stream_seq + 1;
  if (config.filter_subject === undefined) return seq;
  // nats-server knows this since 2.9; the client's type names it for direct gets alone.
  const ofItsKind = { seq, next_by_subj: config.filter_subject };
  const next = await manager.streams.getMessage(stream, ofItsKind);
  return next?.seq ?? state.last_seq + 1;
}
