import { durableName, type EventDefinition, streamName } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  type StreamState,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { isMissing } from './streams.ts';

/**
 * Delivered and not acknowledged, over all replicas: ten replicas with their hands full (2 × 500) and as many events
 * again that wait for their next attempt. At the bound the durable pauses until an attempt succeeds or is given up.
 */
const ackPendingMax = 20_000;
/**
 * What a replica has not acknowledged after this is delivered again: a replica that dies has its events redelivered. One
 * that is merely slow has them doubled, which the inbox undoes. A hundred times what a batch takes.
 */
const ackWaitMsDefault = 10_000;

/** What a service consumes of one stream, each kind through a durable of its own, which all its replicas share. */
export interface WantedDurable {
  readonly consumer: ServiceName;
  readonly event: EventDefinition;
}

const configOf = ({ consumer, event }: WantedDurable, ackWaitMs: number) => ({
  durable_name: durableName(consumer, event),
  filter_subject: event.subject,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  max_deliver: -1,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: ackPendingMax,
});

type DurableConfig = ReturnType<typeof configOf>;

/**
 * Makes the durables of one stream, brings their settings up to date, and makes anew those that are ahead of it. One
 * durable for each kind: a replica is never given a kind it does not know, and a filter never has to be changed.
 * @param before the stream's state, read before
 */
export async function ensureDurables(
  manager: JetStreamManager,
  producer: ServiceName,
  wanted: readonly WantedDurable[],
  before: StreamState,
  ackWaitMs = ackWaitMsDefault,
): Promise<void> {
  const stream = streamName(producer);
  const listed = await listConsumers(manager, stream, before);
  const found = new Map(listed?.map((info) => [info.name, info]));
  // Read after the consumers: what was delivered meanwhile was in the stream before.
  const { state } = await manager.streams.info(stream);
  const ensure = async (one: WantedDurable): Promise<void> => {
    const config = configOf(one, ackWaitMs);
    const info = found.get(config.durable_name) ?? (await consumerInfo(manager, stream, config.durable_name));
    await ensureDurable(manager, stream, config, info, state);
  };
  // Each is tried, whatever became of the others.
  throwFirst(await Promise.allSettled(wanted.map(ensure)));
}

async function ensureDurable(
  manager: JetStreamManager,
  stream: string,
  config: DurableConfig,
  found: ConsumerInfo | undefined,
  state: StreamState,
): Promise<void> {
  if (found === undefined) return await addDurable(manager, stream, config);
  // A stream that lost its tail gives the lost sequence numbers to other events, and a durable that is past them would
  // skip them. It begins anew then; the inbox drops what took effect before.
  if (found.delivered.stream_seq > state.last_seq && (await isAhead(manager, stream, found.name)))
    return await renew(manager, stream, config);
  const { ack_wait, max_ack_pending } = config;
  if (found.config.ack_wait !== ack_wait || found.config.max_ack_pending !== max_ack_pending)
    await manager.consumers.update(stream, found.name, { ack_wait, max_ack_pending });
}

/** Read once more, the consumer before its stream: of one that was listed late, the stream may have grown since. */
async function isAhead(manager: JetStreamManager, stream: string, name: string): Promise<boolean> {
  const info = await consumerInfo(manager, stream, name);
  const { state } = await manager.streams.info(stream);
  return info !== undefined && info.delivered.stream_seq > state.last_seq;
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
 * nats-server that a crash cost the description of a stream, and not its files, has the stream again once it is
 * added, and gives a durable that is added to it the state which it had before.
 */
async function addDurable(manager: JetStreamManager, stream: string, config: DurableConfig): Promise<void> {
  const { delivered } = await manager.consumers.add(stream, config);
  if (delivered.consumer_seq === 0) return;
  // Another keeper may have added it just now: what it was delivered comes again, and the inbox drops it.
  await manager.consumers.delete(stream, config.durable_name);
  await manager.consumers.add(stream, config);
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
 * Makes anew what durables are past this sequence number of a stream. For a producer whose stream lost its tail from there on: by
 * the time that the keeper looks at it again the stream may have grown past its durables.
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
  throwFirst(await Promise.allSettled(past.map(({ config }) => renew(manager, stream, config))));
}

function throwFirst(outcomes: readonly PromiseSettledResult<void>[]): void {
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Killed between the two, the keeper makes the durable when it is back; until then nothing keeps the oldest events for it. */
async function renew(
  manager: JetStreamManager,
  stream: string,
  config: ConsumerInfo['config'] | DurableConfig,
): Promise<void> {
  try {
    await manager.consumers.delete(stream, config.durable_name as string);
  } catch (err) {
    if (!isMissing(err)) throw err;
  }
  // Not left to its consumer, which may not make it.
  await manager.consumers.add(stream, config);
}
