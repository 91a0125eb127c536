import { setTimeout as sleep } from 'node:timers/promises';
import { streamName, streamSubjects } from '@app/contracts/define';
import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JsMsg,
  jetstream,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { type ConsumerRun, handleBatch } from './handle-batch.ts';
import { isMissing, openStreams } from './streams.ts';
import type { ConsumerOptions } from './subscription.ts';
import { createWaker, type Waker } from './waker.ts';

export interface EventConsumer {
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Events worked on in one transaction. */
const batchMax = 250;
/** Events fetched ahead: four batches, so that fetching and working overlap. */
const fetchAhead = 1_000;
/**
 * A hundred times what a batch takes; a replica that dies has its events redelivered after this. One that is merely
 * slow has them doubled, which the inbox undoes.
 */
const ackWaitMs = 10_000;
const restartPauseMs = 500;
const handOverMs = 100;
/**
 * The relay publishes in bursts: a batch begun at a burst's first event would hold that one alone. Three milliseconds
 * let the rest of it come along, and halve the transactions at a few hundred events a second.
 */
const gatherMs = 3;

/** Consumes another service's stream through one durable consumer that all replicas of this service share. */
export function startConsumer(options: ConsumerOptions): EventConsumer {
  const waker = createWaker();
  const state: ConsumerState = { closing: false, messages: undefined, waker };
  const running = keepConsuming({ ...options, failures: new Map() }, state);
  return {
    check: async () => {
      if (state.messages === undefined) throw new Error(`not consuming ${streamName(options.source)}`);
    },
    close: async () => {
      state.closing = true;
      waker.wake();
      await running;
    },
  };
}

/** One waker for whatever the consumer sleeps on: an arrival, the end of the pull, closing. */
type ConsumerState = { closing: boolean; messages: ConsumerMessages | undefined; readonly waker: Waker };

async function keepConsuming(options: ConsumerRun, state: ConsumerState): Promise<void> {
  while (!state.closing) {
    try {
      const consumer = await openConsumer(options);
      await consumeUntilClosed(options, consumer, state);
    } catch (err) {
      const level = isMissing(err) ? 'debug' : 'warn';
      if (!state.closing) options.logger[level]({ err, stream: streamName(options.source) }, 'consumer starts over');
    }
    state.messages = undefined;
    if (!state.closing) await state.waker.sleep(restartPauseMs);
  }
}

async function openConsumer(options: ConsumerOptions): Promise<Consumer> {
  const manager = await openStreams(options.link);
  const stream = streamName(options.source);
  const name = options.link.service;
  // A stream is its producer's to create: until that has started once, opening fails and is tried again.
  const [only, ...others] = options.subscriptions;
  const filter = only !== undefined && others.length === 0 ? only.definition.subject : streamSubjects(options.source);
  const settings = { filter_subject: filter, ack_wait: nanos(ackWaitMs), max_ack_pending: 2 * fetchAhead };
  try {
    await manager.consumers.update(stream, name, settings);
  } catch (err) {
    if (!isMissing(err)) throw err;
    await manager.consumers.add(stream, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      max_deliver: -1,
      ...settings,
    });
  }
  return await jetstream(options.link.connection).consumers.get(stream, name);
}

async function consumeUntilClosed(options: ConsumerRun, consumer: Consumer, state: ConsumerState): Promise<void> {
  const waiting: JsMsg[] = [];
  const { waker } = state;
  const messages = await consumer.consume({
    max_messages: fetchAhead,
    // A server that lost the durable (its disk was replaced) says so; opening again creates it.
    abort_on_missing_resource: true,
    callback: (message) => {
      if (state.closing) message.nak(handOverMs);
      else waiting.push(message);
      waker.wake();
    },
  });
  state.messages = messages;
  let open = true;
  const ended = messages.closed().then((err) => {
    open = false;
    waker.wake();
    return err;
  });
  while (open && !state.closing) {
    if (waiting.length === 0) {
      await waker.sleep(1_000);
      if (waiting.length > 0) await sleep(gatherMs);
      continue;
    }
    await handleBatch(options, waiting.splice(0, batchMax));
    options.afterCommit?.();
  }
  if (state.closing) await handOver(waiting, messages);
  const err = await ended;
  if (err instanceof Error) throw err;
}

/**
 * What was fetched and not begun goes back, so that another replica has it at once and not after the wait for an
 * acknowledgement; so does what is still on its way here. It comes back after a pause, when this replica is gone.
 */
async function handOver(waiting: readonly JsMsg[], messages: ConsumerMessages): Promise<void> {
  for (const message of waiting) message.nak(handOverMs);
  await sleep(handOverMs / 2);
  await messages.close();
}
