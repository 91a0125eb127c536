import type { ServiceName } from '@app/contracts/services';
import type { Msg } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import type { Mailbox, ReplyInbox } from './reply-inbox.ts';
import { pingSubject } from './request-headers.ts';

/** What a ping came to: no replica has subscribed, none replies, or the connection broke. */
export type PingResult = 'alive' | 'unreached' | 'silent' | 'lost';

/** What this process knows of a service that it sends requests to. */
export interface Peer {
  /** A message of the service has arrived: a replica of it lives. */
  answered(): void;
  /** How long ago that was, in milliseconds. */
  sinceHeardMs(): number;
  /** Pings all replicas at once; callers that come meanwhile share the ping. */
  ping(limitMs: number): Promise<PingResult>;
}

export function createPeers(nats: NatsClient, inbox: ReplyInbox): (service: ServiceName) => Peer {
  const peers = new Map<ServiceName, Peer>();
  return (service) => {
    const peer = peers.get(service) ?? createPeer(nats, inbox, service);
    peers.set(service, peer);
    return peer;
  };
}

function createPeer(nats: NatsClient, inbox: ReplyInbox, service: ServiceName): Peer {
  let heardMs = Number.NEGATIVE_INFINITY;
  let pinging: Promise<PingResult> | undefined;
  const answered = (): void => {
    heardMs = performance.now();
  };
  const ping = async (limitMs: number): Promise<PingResult> => {
    let mailbox: Mailbox | undefined;
    try {
      mailbox = inbox.open(service);
      nats.connection.publish(pingSubject(service), '', { reply: mailbox.subject });
      const reply = await mailbox.next(limitMs);
      if (typeof reply === 'string') return reply;
      if (hasNoResponders(reply)) return 'unreached';
      answered();
      return 'alive';
    } catch {
      // The connection is closed.
      return 'lost';
    } finally {
      mailbox?.close();
    }
  };
  return {
    answered,
    sinceHeardMs: () => performance.now() - heardMs,
    ping: (limitMs) => {
      pinging ??= ping(limitMs).finally(() => {
        pinging = undefined;
      });
      return pinging;
    },
  };
}

/** nats-server itself replies to a request on a subject without a subscription. */
export function hasNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}
