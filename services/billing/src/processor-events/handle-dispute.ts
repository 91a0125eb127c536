import { readAnew } from '../disputes/follow-disputes.ts';
import type { EventHandling } from './event-deps.ts';

/** The dispute is read anew: its charge may be recorded a moment after the bank disputes it. */
export const disputes: EventHandling = {
  objectKind: 'dispute',
  types: ['charge.dispute.closed', 'charge.dispute.created', 'charge.dispute.updated'],
  handle: async (deps, { account_id: accountId, processor, test, object_id }) =>
    (await readAnew(deps, { accountId, processor, test }, object_id)) === 'unknown' ? 'later' : 'done',
};
