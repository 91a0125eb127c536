import { type Msg, nuid } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import { inboxPrefix } from './names.ts';

/** What came of a wait: a reply, nothing within the limit, or the loss of the connection over which the request was sent. */
export type Received = Msg | 'silent' | 'lost';

/** Where the replies to one call arrive, however often it is repeated. */
export interface Mailbox {
  readonly subject: string;
  next(limitMs: number): Promise<Received>;
  close(): void;
}

export interface ReplyInbox {
  open(): Mailbox;
  /** All who wait go on as if the connection were lost. */
  endWaits(): void;
}

/**
 * One subscription for the replies to all requests of this process. The client's own `request` takes the first reply for
 * the result; here a callee may reply that it is at work before that, and several attempts share one mailbox.
 */
export function openReplyInbox(nats: NatsClient): ReplyInbox {
  const prefix = `${inboxPrefix(nats.service)}.${nuid.next()}.`;
  const receivers = new Map<string, (reply: Msg | 'lost') => void>();
  nats.connection.subscribe(`${prefix}*`, {
    callback: (err, message) => {
      if (err === null) receivers.get(message.subject)?.(message);
    },
  });
  const endWaits = (): void => {
    for (const receive of receivers.values()) receive('lost');
  };
  nats.onLost(endWaits);
  let opened = 0;
  return {
    endWaits,
    open: () => {
      const subject = prefix + (opened++).toString(36);
      const waiting: (Msg | 'lost')[] = [];
      let take: ((reply: Received) => void) | undefined;
      receivers.set(subject, (reply) => {
        if (take === undefined) waiting.push(reply);
        else take(reply);
      });
      const receive = (limitMs: number) =>
        new Promise<Received>((resolve) => {
          const end = (reply: Received): void => {
            clearTimeout(timer);
            take = undefined;
            resolve(reply);
          };
          const silent = (): void => void (take === end && end('silent'));
          // After a pause of this process its timers are due before what has arrived is read: that comes first.
          const timer = setTimeout(() => setImmediate(silent), limitMs);
          take = end;
        });
      return {
        subject,
        next: async (limitMs) => waiting.shift() ?? (await receive(limitMs)),
        close: () => void receivers.delete(subject),
      };
    },
  };
}
