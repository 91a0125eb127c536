import type { ServiceName } from '@app/contracts/services';

/** Inboxes are named after the service, so that one service's user may not read another's answers. */
export const inboxPrefix = (service: ServiceName): string => `_INBOX_${service.replaceAll('-', '_')}`;

/** The consumer of a replay stands beside the durable, which goes on undisturbed. */
export const replayName = (durable: string): string => `${durable}-replay`;
