import type { ServiceName } from '@app/contracts/services';
import type { Msg } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import { newInbox } from './names.ts';

/** What came of a wait: a reply, nothing within the limit, or the loss of the connection over which the request was sent. */
export type Received = Msg | 'silent' | 'lost';

/** Where the replies to one call arrive, however often it is repeated. */
export interface Mailbox {
  readonly subject: string;
  next(limitMs: number): Promise<Received>;
  close(): void;
}

export interface ReplyInbox {
  /** What it gets is published by nobody but this service. */
  open(callee: ServiceName): Mailbox;
  /** All who wait go on as if the connection were lost. */
  endWaits(): void;
}

/**
 * One subscription for the replies of each callee, opened with the first request to it: no other service may publish into it.
 * The client's own `request` takes the first reply for the result; here a callee may reply that it is at work before that,
 * and several attempts share one mailbox.
 */
export function openReplyInbox(nats: NatsClient): ReplyInbox {
  const inboxes = new Map<ServiceName, string>();
  const receivers = new Map<string, (reply: Msg | 'lost') => void>();
  const inboxFor = (callee: ServiceName): string => {
    const opened = inboxes.get(callee);
    if (opened !== undefined) return opened;
    const inbox = newInbox(nats.service, callee);
    nats.connection.subscribe(`${inbox}.*`, {
      callback: (err, message) => {
        if (err === null) receivers.get(message.subject)?.(message);
      },
    });
    inboxes.set(callee, inbox);
    return inbox;
  };
  const endWaits = (): void => {
    for (const receive of receivers.values()) receive('lost');
  };
  nats.onLost(endWaits);
  let opened = 0;
  return {
    endWaits,
    open: (callee) => {
      const subject = `${inboxFor(callee)}.${(opened++).toString(36)}`;
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
