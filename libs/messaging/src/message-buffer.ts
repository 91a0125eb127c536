import { setTimeout as sleep } from 'node:timers/promises';
import { createWaker } from '@app/service-kit/waker';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';

/** The messages that this replica has fetched and not yet acknowledged. */
export interface MessageBuffer {
  /** Waits for messages; resolves with none once nothing more will come. */
  take(max: number): Promise<readonly JsMsg[]>;
  ack(message: JsMsg): void;
  retry(message: JsMsg, delayMs: number): void;
  /** Fetches no more; what was fetched can still be taken. */
  stopFetching(): void;
  /** Fetches no more and acknowledges no more: acknowledgements would reach another durable than the one that sent the messages. */
  stopAcknowledging(): void;
  /** Nothing more is taken from now on; ends a wait for messages. */
  close(): void;
  /** Hands back to NATS what was not acknowledged, and what is still on its way here. */
  release(): Promise<void>;
  /** Resolves when fetching has ended: with the reason, unless it was stopped. */
  readonly ended: Promise<unknown>;
}

/**
 * The relay publishes in bursts: a batch begun at a burst's first event would hold that one alone. Three milliseconds
 * let the rest of it come along, and halve the transactions at a few hundred events a second.
 */
const burstMs = 3;
/** Another replica has it after this. The one that releases it has ended its own fetching by then, also where it is slow. */
const releaseMs = 500;
/** So long it goes on releasing what was on its way here. */
const onTheWayMs = 50;
const checkEveryMs = 1_000;

/**
 * @param max messages held; more is requested only while there is room, and as many again wait in its client
 * @param lingerMs how long a batch waits for more; unless given, only for the rest of a burst
 */
export function openMessageBuffer(messages: ConsumerMessages, max: number, lingerMs = 0): MessageBuffer {
  const unacknowledged = new Map<number, JsMsg>();
  const waiting: JsMsg[] = [];
  const arrivals = createWaker();
  const room = createWaker();
  const state = { fetching: true, acknowledging: true, closed: false, ended: false };
  const respond = (message: JsMsg, send: () => void): void => {
    unacknowledged.delete(message.seq);
    if (state.acknowledging) send();
  };
  const receive = (message: JsMsg): void => {
    // Delivered again while it waits here: once is enough.
    if (unacknowledged.has(message.seq)) return;
    unacknowledged.set(message.seq, message);
    if (state.closed) respond(message, () => message.nak(releaseMs));
    else waiting.push(message);
  };
  const fetchAll = async (): Promise<unknown> => {
    try {
      for await (const message of messages) {
        receive(message);
        arrivals.wake();
        while (waiting.length >= max && state.fetching && !state.closed) await room.sleep(checkEveryMs);
      }
      return undefined;
    } catch (err) {
      state.acknowledging = false;
      return err;
    } finally {
      state.ended = true;
      arrivals.wake();
    }
  };
  const stopFetching = (): void => {
    state.fetching = false;
    void messages.close();
    room.wake();
  };
  return {
    take: async (count) => {
      const isBusy = waiting.length > 0 && waiting.length < count;
      if (isBusy && lingerMs > 0 && !state.closed && !state.ended) await sleep(lingerMs);
      while (waiting.length === 0 && !state.closed && !state.ended) {
        await arrivals.sleep(checkEveryMs);
        if (waiting.length > 0) await sleep(Math.max(burstMs, lingerMs));
      }
      if (state.closed) return [];
      room.wake();
      return waiting.splice(0, count);
    },
    ack: (message) => respond(message, () => message.ack()),
    retry: (message, delayMs) => respond(message, () => message.nak(delayMs)),
    stopFetching,
    stopAcknowledging: () => {
      state.acknowledging = false;
      stopFetching();
    },
    close: () => {
      state.closed = true;
      arrivals.wake();
      room.wake();
    },
    release: async () => {
      for (const message of [...unacknowledged.values()]) respond(message, () => message.nak(releaseMs));
      await sleep(onTheWayMs);
    },
    ended: fetchAll(),
  };
}
