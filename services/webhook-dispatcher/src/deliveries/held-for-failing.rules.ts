/** Why a delivery is held, as `deliveries.held_reason` stores it: its attempts have ended, and nothing reaches its endpoint. */
export const heldForFailing = 'endpoint_failing';

/** Of `deliveries`; the words of the index (0015-held-for-failing.ts). */
export const isHeldForFailing = `status = 'held' and held_reason = '${heldForFailing}'`;
