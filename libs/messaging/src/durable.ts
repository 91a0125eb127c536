import { durableName, type EventDefinition, streamName } from '@app/contracts/define';
import {
  AckPolicy,
  type Consumer,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  jetstream,
  type StreamState,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import { type ConsumerTiming, usualTiming } from './consumer-timing.ts';
import { isMissing, openStreams } from './streams.ts';

/**
 * Delivered and not acknowledged, over all replicas: ten replicas with their hands full (2 × 500) and as many events
 * again that wait for their next attempt. At the bound the durable pauses until an attempt succeeds or is given up.
 */
const ackPendingMax = 20_000;

const settingsOf = ({ ackWaitMs }: Pick<ConsumerTiming, 'ackWaitMs'>) => ({
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: ackPendingMax,
});

/**
 * Opens this service's durable consumer of one kind of event, which all its replicas share, or makes it. One durable
 * for each kind: a replica is never given a kind it does not know, and a filter never has to be changed.
 * @throws while the stream is missing: it is its producer's to create
 */
export async function openDurable(
  nats: NatsClient,
  definition: EventDefinition,
  timing: Pick<ConsumerTiming, 'ackWaitMs'> = usualTiming,
): Promise<Consumer> {
  const manager = await openStreams(nats);
  const stream = streamName(definition.service);
  const name = durableName(nats.service, definition);
  const settings = settingsOf(timing);
  const added = { ...durableConfig(name, definition), ...settings };
  const found = await consumerInfo(manager, stream, name);
  if (found === undefined) await addDurable(manager, stream, added);
  else if (await isAhead(manager, stream, found)) {
    await manager.consumers.delete(stream, name);
    await manager.consumers.add(stream, added);
  } else if (found.config.ack_wait !== settings.ack_wait || found.config.max_ack_pending !== settings.max_ack_pending) {
    await manager.consumers.update(stream, name, settings);
  }
  return await jetstream(nats.connection).consumers.get(stream, name);
}

async function consumerInfo(
  manager: JetStreamManager,
  stream: string,
  name: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, name);
  } catch (err) {
    if (isMissing(err)) return undefined;
    throw err;
  }
}

/**
 * nats-server that a crash cost the description of a stream, and not its files, has the stream again once its producer
 * adds it, and gives a durable that is added to it the state which it had before.
 */
async function addDurable(
  manager: JetStreamManager,
  stream: string,
  config: ReturnType<typeof durableConfig>,
): Promise<void> {
  const { delivered } = await manager.consumers.add(stream, config);
  if (delivered.consumer_seq === 0) return;
  // Another replica may have added it just now: what it was delivered comes again, and the inbox drops it.
  await manager.consumers.delete(stream, config.durable_name);
  await manager.consumers.add(stream, config);
}

const durableConfig = (name: string, { subject }: EventDefinition) => ({
  durable_name: name,
  filter_subject: subject,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  max_deliver: -1,
});

/**
 * A stream that lost its tail gives the lost sequence numbers to other events, and a durable that is past them would
 * skip them. It begins anew then; the inbox drops what took effect before.
 */
async function isAhead(manager: JetStreamManager, stream: string, durable: ConsumerInfo): Promise<boolean> {
  const { state } = await manager.streams.info(stream);
  return durable.delivered.stream_seq > state.last_seq;
}

/**
 * All consumers of a stream; undefined when nats-server lists fewer than it counts: a cluster leaves out those whose server
 * does not answer in time.
 * @param state the stream's, read before
 */
export async function listConsumers(
  manager: JetStreamManager,
  stream: string,
  state: Pick<StreamState, 'consumer_count'>,
): Promise<ConsumerInfo[] | undefined> {
  const consumers: ConsumerInfo[] = [];
  for await (const consumer of manager.consumers.list(stream)) consumers.push(consumer);
  return consumers.length < state.consumer_count ? undefined : consumers;
}

/**
 * Makes anew what durables are past this sequence number of a stream. For a producer whose stream lost its tail from there on: a
 * consumer checks only when it comes back (`openDurable`), and by then the stream may have grown past its durable again.
 * @throws when nats-server does not answer, or lists fewer consumers than it counts, as a cluster does while it starts;
 * calling it again does no harm
 */
export async function renewDurablesPast(manager: JetStreamManager, stream: string, seq: number): Promise<void> {
  const { state } = await manager.streams.info(stream);
  const consumers = await listConsumers(manager, stream, state);
  if (consumers === undefined) throw new Error(`nats-server does not list all consumers of ${stream}`);
  // A replay has a consumer of its own, which ends; the replay is to be repeated.
  const past = consumers.filter(({ delivered, config }) => delivered.stream_seq > seq && config.durable_name);
  // Each is tried, whatever became of the others.
  const renewed = await Promise.allSettled(past.map(({ config }) => renew(manager, stream, config)));
  const failed = renewed.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Killed between the two, a durable is missing until its consumer is back, and nothing keeps the oldest events for it. */
async function renew(manager: JetStreamManager, stream: string, config: ConsumerInfo['config']): Promise<void> {
  try {
    await manager.consumers.delete(stream, config.durable_name as string);
  } catch (err) {
    // Its consumer came back in this moment, and does the same.
    if (!isMissing(err)) throw err;
  }
  // Not left to its consumer, which may be away.
  await manager.consumers.add(stream, config);
}
