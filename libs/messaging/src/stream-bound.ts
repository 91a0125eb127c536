import { streamName } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import type { Logger } from '@app/service-kit/logger';
import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';

/** Above this part of the bound the oldest events go, down to the lower part: at 100 events/s that is once in hours. */
const trimAbove = 0.8;
const trimTo = 0.6;

/**
 * Keeps a stream below its bound in bytes by dropping its oldest events, those alone that every durable consumer has
 * acknowledged. What one has not acknowledged stays; the stream fills up, says so in time, and in the end refuses new
 * events, which then wait in the outbox. Consumers are deployed before their producers: one that is missing is not waited for.
 */
export async function keepWithinBound(
  manager: JetStreamManager,
  service: ServiceName,
  maxBytes: number,
  logger: Logger,
): Promise<void> {
  const stream = streamName(service);
  const { state } = await manager.streams.info(stream);
  if (state.bytes <= trimAbove * maxBytes) return;
  const slowest = await slowestConsumer(manager, stream);
  const acknowledged = slowest?.ack_floor.stream_seq ?? 0;
  const surplus = Math.ceil(state.messages * (1 - (trimTo * maxBytes) / state.bytes));
  const firstKept = Math.min(state.first_seq + surplus, acknowledged + 1);
  const about = { stream, bytes: state.bytes, maxBytes, messages: state.messages };
  if (firstKept <= state.first_seq) {
    const waitsFor = slowest?.name ?? 'its first consumer';
    logger.warn({ ...about, waitsFor }, 'the stream is nearly full of events that a consumer has not had');
    return;
  }
  await manager.streams.purge(stream, { seq: firstKept });
  logger.info(
    { ...about, dropped: firstKept - state.first_seq },
    'the oldest events left the stream: all consumers had them',
  );
}

async function slowestConsumer(manager: JetStreamManager, stream: string): Promise<ConsumerInfo | undefined> {
  let slowest: ConsumerInfo | undefined;
  for await (const consumer of manager.consumers.list(stream)) {
    if (slowest === undefined || consumer.ack_floor.stream_seq < slowest.ack_floor.stream_seq) slowest = consumer;
  }
  return slowest;
}
