import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { createWaker } from './waker.ts';

/** The messages that this replica has fetched and not yet answered. */
export interface Hand {
  /** Waits for messages; answers with none once nothing more will come. */
  take(max: number): Promise<readonly JsMsg[]>;
  ack(message: JsMsg): void;
  retry(message: JsMsg, delayMs: number): void;
  /** Fetches no more; what was fetched can still be taken. */
  stopFetching(): void;
  /** Fetches no more and answers no more: the answers would reach another durable than the one that asked. */
  stopAnswering(): void;
  /** Nothing more is taken from now on; ends a wait for messages. */
  close(): void;
  /** Gives back what was not answered, and what is still on its way here. */
  handBack(): Promise<void>;
  /** Resolves when fetching has ended: with the reason, if it was not asked to. */
  readonly ended: Promise<unknown>;
}

/**
 * The relay publishes in bursts: a batch begun at a burst's first event would hold that one alone. Three milliseconds
 * let the rest of it come along, and halve the transactions at a few hundred events a second.
 */
const gatherMs = 3;
/** Another replica has it after this, when the one that gives it back is gone. */
const handBackMs = 100;
const checkEveryMs = 1_000;

/** @param max messages held; NATS is asked for more only while there is room, and as many again wait in its client */
export function openHand(messages: ConsumerMessages, max: number): Hand {
  const unanswered = new Map<number, JsMsg>();
  const waiting: JsMsg[] = [];
  const arrivals = createWaker();
  const room = createWaker();
  const state = { fetching: true, answering: true, closed: false, ended: false };
  const answer = (message: JsMsg, send: () => void): void => {
    unanswered.delete(message.seq);
    if (state.answering) send();
  };
  const receive = (message: JsMsg): void => {
    // Delivered again while it waits here: once in hand is enough.
    if (unanswered.has(message.seq)) return;
    unanswered.set(message.seq, message);
    if (state.closed) answer(message, () => message.nak(handBackMs));
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
      state.answering = false;
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
      while (waiting.length === 0 && !state.closed && !state.ended) {
        await arrivals.sleep(checkEveryMs);
        if (waiting.length > 0) await sleep(gatherMs);
      }
      if (state.closed) return [];
      room.wake();
      return waiting.splice(0, count);
    },
    ack: (message) => answer(message, () => message.ack()),
    retry: (message, delayMs) => answer(message, () => message.nak(delayMs)),
    stopFetching,
    stopAnswering: () => {
      state.answering = false;
      stopFetching();
    },
    close: () => {
      state.closed = true;
      arrivals.wake();
      room.wake();
    },
    handBack: async () => {
      for (const message of [...unanswered.values()]) answer(message, () => message.nak(handBackMs));
      await sleep(handBackMs / 2);
    },
    ended: fetchAll(),
  };
}
