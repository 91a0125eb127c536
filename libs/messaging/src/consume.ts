import { durableName } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { NatsLink } from './connect.ts';
import { openDurable } from './durable.ts';
import { openHand } from './hand.ts';
import { handleBatch } from './handle-batch.ts';
import { createOutage } from './outage.ts';
import { startReplays } from './replay-dead-letters.ts';
import { isMissing } from './streams.ts';
import type { Subscription } from './subscription.ts';
import { createWaker, type Waker } from './waker.ts';

export interface ConsumersOptions {
  readonly link: NatsLink;
  readonly database: Database;
  /** One for each kind of event that the service consumes. */
  readonly subscriptions: readonly Subscription[];
  readonly logger: Logger;
}

export interface EventConsumers {
  /** For readiness: one for each kind of event, failing while it does not come in. */
  readonly checks: readonly { readonly name: string; check(): Promise<void> }[];
  close(): Promise<void>;
}

/** Events worked on in one transaction. */
const batchMax = 250;
/** Events fetched ahead: two batches, so that fetching and working overlap; as many again wait in the NATS client. */
const fetchAhead = 500;
const restartPauseMs = 500;

/**
 * Consumes events of other services, each kind by itself through a durable that all replicas of this service share.
 * Kinds are not ordered among each other.
 */
export function startConsumers(options: ConsumersOptions): EventConsumers {
  const started = options.subscriptions.map((subscription) => startConsumer(options, subscription));
  const replays = startReplays({ ...options, service: options.link.service });
  return {
    checks: started.map(({ name, check }) => ({ name, check })),
    close: async () => void (await Promise.all([...started.map((consumer) => consumer.close()), replays.close()])),
  };
}

interface ConsumerRun extends ConsumersOptions {
  readonly subscription: Subscription;
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

function startConsumer(options: ConsumersOptions, subscription: Subscription) {
  const { definition } = subscription;
  const logger = options.logger.child({ consumer: durableName(options.link.service, definition) });
  const state: ConsumerState = {
    closing: false,
    consuming: false,
    pause: createWaker(),
    stopWaiting: () => undefined,
  };
  const running = keepConsuming({ ...options, logger, subscription, state });
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

async function keepConsuming(run: ConsumerRun): Promise<void> {
  const { link, logger, state } = run;
  const stopListening = link.onRestored(state.pause.wake);
  while (!state.closing) {
    const failure = link.connected() ? await consumeOnce(run).catch((err: unknown) => ({ err })) : undefined;
    state.consuming = false;
    if (state.closing) break;
    if (failure !== undefined) {
      // Lost with the connection, of which the link tells; a missing stream waits for its producer's first start.
      const level = !link.connected() || isMissing(failure.err) ? 'debug' : 'warn';
      logger[level](failure, 'consumer starts over');
    }
    if (failure !== undefined || !link.connected()) await state.pause.sleep(restartPauseMs);
  }
  stopListening();
}

/**
 * Consumes for as long as one connection holds, until the database goes away, the durable vanishes or the consumer
 * closes. What was fetched over an earlier connection still takes effect but is not acknowledged: the durable may have
 * been made anew meanwhile, and the same place in the stream may be another event's. It is delivered again, and the
 * inbox drops it.
 */
async function consumeOnce({ link, database, logger, subscription, state }: ConsumerRun): Promise<void> {
  const consumer = await openDurable(link, subscription.definition);
  // A server that lost the durable says so; opening again creates it.
  const pull = { max_messages: fetchAhead, abort_on_missing_resource: true };
  const hand = openHand(await consumer.consume(pull), fetchAhead);
  const stopListening = link.onLost(() => hand.stopAnswering());
  state.stopWaiting = () => hand.close();
  const onBegin = (): void => {
    state.consuming = false;
    hand.stopFetching();
  };
  const outage = createOutage({ logger, pause: state.pause, isClosing: () => state.closing, onBegin });
  state.consuming = true;
  try {
    if (state.closing) hand.close();
    for (let batch = await hand.take(batchMax); batch.length > 0; batch = await hand.take(batchMax)) {
      await handleBatch({ service: link.service, database, subscription, logger, outage, hand }, batch);
    }
    if (state.closing) await hand.handBack();
  } finally {
    stopListening();
    hand.stopFetching();
  }
  const failure = await hand.ended;
  if (failure !== undefined && link.connected()) throw failure;
}
