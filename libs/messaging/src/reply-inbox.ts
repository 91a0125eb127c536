import { type Msg, nuid } from '@nats-io/transport-node';
import { inboxPrefix, type NatsLink } from './connect.ts';

/** The connection broke: whatever was asked over it gets no answer. */
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
}

/**
 * One subscription for the replies to everything this process asks. The client's own `request` takes the first reply for
 * the answer; here a callee may say that it is at work before it answers, and several tries share one mailbox.
 */
export function openReplyInbox(link: NatsLink): ReplyInbox {
  const prefix = `${inboxPrefix(link.service)}.${nuid.next()}.`;
  const receivers = new Map<string, (reply: Msg | Lost) => void>();
  link.connection.subscribe(`${prefix}*`, {
    callback: (err, message) => {
      if (err === null) receivers.get(message.subject)?.(message);
    },
  });
  link.onLost(() => {
    for (const receive of receivers.values()) receive('lost');
  });
  let opened = 0;
  return {
    open: () => {
      const subject = prefix + (opened++).toString(36);
      const { receive, next } = queueOfReplies();
      receivers.set(subject, receive);
      return { subject, next, close: () => void receivers.delete(subject) };
    },
  };
}

function queueOfReplies(): { receive(reply: Msg | Lost): void; next: Mailbox['next'] } {
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
        const settle = (reply: Msg | Lost | Silent): void => {
          clearTimeout(timer);
          take = undefined;
          resolve(reply);
        };
        // After a pause of this very process the timer is due before the replies that have arrived are read.
        const timer = setTimeout(() => setImmediate(() => take === settle && settle('silent')), limitMs);
        take = settle;
      });
    },
  };
}
