import { type Msg, type MsgHdrs, TimeoutError } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import { newInbox } from './names.ts';

/** A stream's acknowledgement of an event. */
export interface PublishAck {
  /** The event’s sequence number in the stream. */
  readonly seq: number;
  /** The stream had an event of this id already, under that number. */
  readonly duplicate: boolean;
}

/**
 * Publishes to streams and receives their acknowledgements. The client's own `publish` makes a timer and an error object,
 * with its stack, for every event: a twentieth of an order's CPU.
 */
export interface StreamPublisher {
  /**
   * @param eventId the stream drops a second event of the same id within its window
   * @throws TimeoutError after five seconds without an acknowledgement, also where NATS forbids the subject, and on
   * nats-server 2.9 where there is no stream; an Error that says why the stream refused
   */
  publish(eventId: string, subject: string, payload: string, headers: MsgHdrs): Promise<PublishAck>;
  /** Rejects what still waits. */
  close(): void;
}

const timeoutMs = 5_000;
const checkEveryMs = 250;

interface Waiting {
  readonly endMs: number;
  resolve(ack: PublishAck): void;
  reject(err: unknown): void;
}

export function openStreamPublisher(nats: NatsClient): StreamPublisher {
  const prefix = `${newInbox(nats.service, 'streams')}.`;
  const waiting = new Map<string, Waiting>();
  const take = (subject: string): Waiting | undefined => {
    const found = waiting.get(subject);
    waiting.delete(subject);
    return found;
  };
  const rejectAll = (err: Error): void => {
    for (const { reject } of waiting.values()) reject(err);
    waiting.clear();
  };
  const subscription = nats.connection.subscribe(`${prefix}*`, {
    callback: (err, message) => {
      if (err === null) resolveOrReject(take(message.subject), message);
      else rejectAll(err);
    },
  });
  const checking = setInterval(() => {
    const nowMs = performance.now();
    for (const [subject, { endMs }] of waiting) {
      // In the order they began: the others end later.
      if (endMs > nowMs) break;
      take(subject)?.reject(new TimeoutError());
    }
  }, checkEveryMs);
  let published = 0;
  return {
    publish: (eventId, subject, payload, headers) => {
      headers.append('Nats-Msg-Id', eventId);
      const reply = prefix + (published++).toString(36);
      const { promise, resolve, reject } = Promise.withResolvers<PublishAck>();
      nats.connection.publish(subject, Buffer.from(payload), { headers, reply });
      waiting.set(reply, { endMs: performance.now() + timeoutMs, resolve, reject });
      return promise;
    },
    close: () => {
      clearInterval(checking);
      rejectAll(new Error('closed before the stream acknowledged'));
      if (!nats.connection.isClosed()) subscription.unsubscribe();
    },
  };
}

interface Acknowledgement {
  readonly seq: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly description: string };
}

/**
 * https://docs.nats.io/reference/reference-protocols/nats_api_reference: a pub ack is JSON; where no stream has the
 * subject, it is an empty 503.
 */
function resolveOrReject(waiting: Waiting | undefined, message: Msg): void {
  if (waiting === undefined) return;
  if (message.headers?.code === 503) {
    waiting.reject(new Error('no stream takes this subject'));
    return;
  }
  try {
    const { seq, duplicate = false, error } = message.json<Acknowledgement>();
    if (error === undefined) waiting.resolve({ seq, duplicate });
    else waiting.reject(new Error(error.description));
  } catch (err) {
    waiting.reject(err);
  }
}
