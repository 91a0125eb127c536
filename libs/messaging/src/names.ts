import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@app/contracts/services';

/** Who connects to NATS: a service, or the keeper of the streams. */
export type NatsName = ServiceName | 'keeper';

/** What a service calls of JetStream's API lies under this prefix: the streams are another account's. */
export const streamsApi = 'js';

const inboxOf = (name: NatsName): string => `_INBOX_${name.replaceAll('-', '_')}`;

/** All inboxes of a service: its user may read these and no other's. */
export const inboxesOf = (name: NatsName): string => `${inboxOf(name)}.>`;

/** Where a service's replies to a requester may go, whatever the inbox's random part is. */
export const repliesTo = (requester: ServiceName, callee: ServiceName): string => `${inboxOf(requester)}.${callee}.>`;

/**
 * A new inbox for what one callee replies, or the streams do. No other callee may publish into it, and its 128 random bits
 * keep those who can make nats-server publish for them from guessing it.
 */
export const newInbox = (requester: NatsName, callee: ServiceName | 'streams'): string =>
  `${inboxOf(requester)}.${callee}.${randomBytes(16).toString('base64url')}`;

/**
 * Whether a reply goes to an inbox that its requester opened for this service. One that does not would make this service
 * publish for somebody who may not: an event of its own, or a request to another service.
 */
export function isInboxFor(callee: ServiceName, reply: string | undefined): boolean {
  const [inbox = '', named] = reply?.split('.', 2) ?? [];
  return inbox.startsWith('_INBOX_') && named === callee;
}

/** The consumer of a replay stands beside the durable, which goes on undisturbed. */
export const replayName = (durable: string): string => `${durable}-replay`;

/** Where a service asks the keeper to make durables of its own stream anew, and to make the consumer of a replay. */
export const keeperSubjects = (service: ServiceName) =>
  ({ renew: `keep.${service}.renew`, replay: `keep.${service}.replay` }) as const;
