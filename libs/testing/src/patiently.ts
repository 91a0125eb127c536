import type { Waiting } from '@app/contracts/time-outs';

/** A request that is waited for longer than its callers do, and sent once: of a test about what is answered, not how soon. */
export const patiently = <Definition extends Waiting>(definition: Definition): Definition => ({
  ...definition,
  timeoutMs: 120_000,
  repeatAfterMs: 60_000,
});
