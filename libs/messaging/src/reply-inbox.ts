import { type Msg, nuid } from '@nats-io/transport-node';
import { inboxPrefix, type NatsClient } from './connect.ts';

/** The connection broke: requests that were sent over it get no reply. */
export type Lost = 'lost';
/** Nothing came within the limit. */
export type Silent = 'silent';

/** Where the replies to one call arrive, however often it is repeated. */
export interface Mailbox {
  readonly subject: string;
  next(limitMs: number): Promise<Msg | Lost | Silent>;
  close(): void;
}

export interface ReplyInbox {
  open(): Mailbox;
  /** How long ago this process stood still, or replies lay unread on their way here, in milliseconds: silence from before means nothing. */
  sinceBehindMs(): number;
}

/**
 * One subscription for the replies to all requests of this process. The client's own `request` takes the first reply for
 * the result; here a callee may reply that it is at work before that, and several tries share one mailbox.
 */
export function openReplyInbox(nats: NatsClient): ReplyInbox {
  const prefix = `${inboxPrefix(nats.service)}.${nuid.next()}.`;
  const receivers = new Map<string, (reply: Msg | Lost) => void>();
  nats.connection.subscribe(`${prefix}*`, {
    callback: (err, message) => {
      if (err === null) receivers.get(message.subject)?.(message);
    },
  });
  nats.onLost(() => {
    for (const receive of receivers.values()) receive('lost');
  });
  const backlog = watchBacklog(nats);
  let opened = 0;
  return {
    open: () => {
      const subject = prefix + (opened++).toString(36);
      const { receive, next } = queueOfReplies(backlog);
      receivers.set(subject, receive);
      return { subject, next, close: () => void receivers.delete(subject) };
    },
    sinceBehindMs: backlog.sinceBehindMs,
  };
}

/** A server that has nothing for us replies sooner; ten replies of 8 MiB take a second. */
const behindMs = 50;
/** A timer that is so late stood still with its process, and perhaps with the machine: nobody else could reply either. */
const pausedMs = 150;
/** The longest message, 8 MiB, at 24 MB a second: within this there is a whole one more. */
const compareEveryMs = 350;

/**
 * Replies come one after the other on one connection: a short one waits behind the long ones that were sent before it.
 * nats-server replies to a ping in the same order, so once it has, everything sent before has been read.
 */
function watchBacklog({ connection }: NatsClient): Backlog {
  let endedMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const readAll = async (): Promise<void> => {
    const beganMs = performance.now();
    const watch = watchArrivals(connection);
    const replied = connection.flush().then(
      () => true,
      () => false,
    );
    const caughtUp = await Promise.race([replied, watch.ended]);
    watch.stop();
    const nowMs = performance.now();
    if (caughtUp && nowMs - beganMs > behindMs) endedMs = nowMs;
  };
  return {
    read: () => {
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    paused: () => {
      endedMs = performance.now();
    },
    sinceBehindMs: () => performance.now() - endedMs,
  };
}

interface Backlog {
  /** Resolves when everything sent before has been read. */
  read(): Promise<void>;
  /** This process stood still until now. */
  paused(): void;
  sinceBehindMs(): number;
}

/** A server that hangs replies to no ping: the wait would never end. Ends with false once nothing comes. */
function watchArrivals(connection: NatsClient['connection']): { readonly ended: Promise<false>; stop(): void } {
  const { promise: ended, resolve } = Promise.withResolvers<false>();
  let before = connection.stats().inBytes;
  const compare = (): void => {
    const { inBytes } = connection.stats();
    if (inBytes === before) resolve(false);
    before = inBytes;
  };
  // What has arrived is read before it is counted.
  const timer = setInterval(() => setImmediate(compare), compareEveryMs);
  return { ended, stop: () => clearInterval(timer) };
}

function queueOfReplies(backlog: Backlog): { receive(reply: Msg | Lost): void; next: Mailbox['next'] } {
  const waiting: (Msg | Lost)[] = [];
  let take: ((reply: Msg | Lost) => void) | undefined;
  return {
    receive: (reply) => {
      if (take === undefined) waiting.push(reply);
      else take(reply);
    },
    next: (limitMs) => {
      const first = waiting.shift();
      if (first !== undefined) return Promise.resolve(first);
      return new Promise((resolve) => {
        const end = (reply: Msg | Lost | Silent): void => {
          clearTimeout(timer);
          take = undefined;
          resolve(reply);
        };
        // Also after a pause of this very process: the timer is due before the replies that have arrived are read.
        const silent = (): void => {
          if (take === end) end('silent');
        };
        const dueMs = performance.now() + limitMs;
        const due = (): void => {
          if (performance.now() - dueMs > pausedMs) backlog.paused();
          void backlog.read().then(silent);
        };
        const timer = setTimeout(due, limitMs);
        take = end;
      });
    },
  };
}
