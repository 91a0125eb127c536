/** Why a delivery is held, as `deliveries.held_reason` stores it: its attempts have ended, and nothing reaches its endpoint. */
export const heldForFailing = 'endpoint_failing';

/** A condition on `deliveries`, whatever it is held for. */
export const isHeld = `status = 'held'`;

/** A condition on `deliveries`, in the words of `deliveries_held_for_failing` (0001-initial/deliveries.ts): with others it would not be used. */
export const isHeldForFailing = `status = 'held' and held_reason = '${heldForFailing}'`;
