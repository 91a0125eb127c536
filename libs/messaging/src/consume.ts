import { durableName, streamName } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { secondsHistogram } from '@app/service-kit/metrics';
import { createWaker, type Waker } from '@app/service-kit/waker';
import type { NatsClient } from './connect.ts';
import { type ConsumerTiming, usualTiming } from './consumer-timing.ts';
import type { EventHandler } from './event-handler.ts';
import { handleBatch } from './handle-batch.ts';
import { openMessageBuffer } from './message-buffer.ts';
import { createOutageRetry } from './outage-retry.ts';
import { consumingBegan } from './points.ts';
import { startReplays } from './replay-dead-letters.ts';
import { isMissing, openConsumer } from './streams.ts';

export interface ConsumersOptions {
  readonly nats: NatsClient;
  readonly database: Database;
  /** One for each kind of event that the service consumes. */
  readonly handlers: readonly EventHandler[];
  readonly logger: Logger;
  /** What differs from the usual: tests do not wait out what takes seconds. */
  readonly timing?: Partial<ConsumerTiming>;
}

export interface EventConsumers {
  /** For readiness: one for each kind of event, failing while it does not come in. */
  readonly checks: readonly { readonly name: string; check(): Promise<void> }[];
  close(): Promise<void>;
}

/** Events worked on in one transaction, unless their handler says otherwise. */
const batchMaxDefault = 250;
/** Events fetched ahead: two batches, so that fetching and working overlap; as many again wait in the NATS client. */
const batchesAhead = 2;
/** A durable that was recreated beside its consumer is missed after two of these, and opened again. */
const idleHeartbeatMs = 5_000;

/**
 * Consumes events of other services, each kind by itself through a durable that all replicas of this service share.
 * Kinds are not ordered among each other.
 */
export function startConsumers(options: ConsumersOptions): EventConsumers {
  const timing = { ...usualTiming, ...options.timing };
  const started = options.handlers.map((handler) => startConsumer({ ...options, timing }, handler));
  const replays = startReplays({ ...options, service: options.nats.service, everyMs: timing.replayMs });
  return {
    checks: started.map(({ name, check }) => ({ name, check })),
    close: async () => void (await Promise.all([...started.map((consumer) => consumer.close()), replays.close()])),
  };
}

interface TimedOptions extends ConsumersOptions {
  readonly timing: ConsumerTiming;
}

interface ConsumerRun extends TimedOptions {
  readonly handler: EventHandler;
  readonly state: ConsumerState;
}

interface ConsumerState {
  closing: boolean;
  consuming: boolean;
  /** Sleeps while nothing can be done: NATS away, the stream missing, the database away. */
  readonly pause: Waker;
  /** Ends the wait for messages. */
  stopWaiting: () => void;
}

function startConsumer(options: TimedOptions, handler: EventHandler) {
  const { definition } = handler;
  const logger = options.logger.child({ consumer: durableName(options.nats.service, definition) });
  const state: ConsumerState = {
    closing: false,
    consuming: false,
    pause: createWaker(),
    stopWaiting: () => undefined,
  };
  const running = keepConsuming({ ...options, logger, handler, state });
  return {
    name: `${definition.name} events of ${definition.service}`,
    check: async () => {
      if (!state.consuming) throw new Error(`not consuming ${definition.subject}`);
    },
    close: async () => {
      state.closing = true;
      state.pause.wake();
      state.stopWaiting();
      await running;
    },
  };
}

const firstReopenMs = 50;

/** No startLoop: it waits for messages for as long as a connection holds, and closing ends that wait. */
async function keepConsuming(run: ConsumerRun): Promise<void> {
  const { nats, state, timing } = run;
  const stopListening = nats.onRestored(state.pause.wake);
  // When services start together, a stream that is missing is there a moment later.
  let pauseMs = firstReopenMs;
  while (!state.closing) {
    const failure = nats.connected() ? await consumeOnce(run).catch((err: unknown) => ({ err })) : undefined;
    if (state.consuming) pauseMs = firstReopenMs;
    state.consuming = false;
    if (state.closing) break;
    if (failure !== undefined) logFailure(run, failure.err);
    if (failure !== undefined || !nats.connected()) await state.pause.sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, timing.reopenMs);
  }
  stopListening();
}

function logFailure({ nats, logger }: ConsumerRun, err: unknown): void {
  // The NATS client has logged a lost connection already; what is missing waits for the keeper's first start.
  const level = !nats.connected() || isMissing(err) ? 'debug' : 'warn';
  logger[level]({ err }, 'consumer starts over');
}

/**
 * Consumes for as long as one connection holds, until the database goes away, the durable vanishes or the consumer
 * closes. What was fetched over an earlier connection still takes effect but is not acknowledged: the durable may have
 * been made anew meanwhile, and the same sequence number may be another event's. It is delivered again, and the
 * inbox drops it.
 */
async function consumeOnce({ nats, database, logger, handler, state, timing }: ConsumerRun): Promise<void> {
  const { definition } = handler;
  const durable = durableName(nats.service, definition);
  const consumer = await openConsumer(nats, streamName(definition.service), durable);
  // A server that lost the durable says so; the keeper makes it again.
  const { batchMax = batchMaxDefault } = handler;
  const fetchAhead = batchesAhead * batchMax;
  const pull = { max_messages: fetchAhead, abort_on_missing_resource: true, idle_heartbeat: idleHeartbeatMs };
  const buffer = openMessageBuffer(await consumer.consume(pull), fetchAhead, handler.lingerMs);
  const stopListening = nats.onLost(() => buffer.stopAcknowledging());
  state.stopWaiting = () => buffer.close();
  const onBegin = (): void => {
    state.consuming = false;
    buffer.stopFetching();
  };
  const { service } = nats;
  const { pause } = state;
  const pauseMs = timing.outageMs;
  const outageRetry = createOutageRetry({ service, logger, pause, pauseMs, isClosing: () => state.closing, onBegin });
  state.consuming = true;
  consumingBegan.announce(() => ({ service, subject: definition.subject }));
  const duration = secondsHistogram(service, {
    name: 'event.handling.duration',
    description:
      'Of the work on events that this replica handled together, by kind; with error.type of one that is done again.',
  });
  const run = { service, database, handler, logger, outageRetry, buffer, duration, retryMs: timing.retryMs };
  try {
    if (state.closing) buffer.close();
    for (let batch = await buffer.take(batchMax); batch.length > 0; batch = await buffer.take(batchMax)) {
      await handleBatch(run, batch);
    }
    if (state.closing) await buffer.release();
  } finally {
    stopListening();
    buffer.stopFetching();
  }
  const failure = await buffer.ended;
  if (failure !== undefined && nats.connected()) throw failure;
}
