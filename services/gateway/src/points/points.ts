import { definePoint } from '@app/service-kit/points';

/** The response is sent, or its connection is closed; the request's line is logged. */
export const requestEnded = definePoint<{ readonly requestId: string; readonly status: number }>(
  'gateway.request-ended',
);

/** The response is stored under its Idempotency-Key: a repetition replays it. */
export const responseStored = definePoint<{ readonly accountId: string; readonly key: string }>(
  'gateway.response-stored',
);

/** A password was hashed, or its hash was refused. */
export const passwordHashed = definePoint<{
  /** Whose share of the queue it took. */
  readonly client: string;
}>('gateway.password-hashed');

/** The row of the key or the session says when it was used. */
export const credentialUseRecorded = definePoint<{ readonly id: string }>('gateway.credential-use-recorded');

/** The other replicas can read this replica's counts of these clients, and this one has read theirs. */
export const clientCountsExchanged = definePoint<{
  /** `taken`: requests in the client's minute at all replicas. */
  readonly counts: readonly { readonly client: string; readonly taken: number }[];
}>('gateway.client-counts-exchanged');

/** An attempt to submit a letter is recorded. `withheld`: the address has bought nothing of the seller whose letter it is. */
export const letterAttempted = definePoint<{
  readonly letterId: string;
  readonly kind: string;
  readonly to: string;
  readonly outcome: 'taken' | 'refused' | 'deferred' | 'unreachable' | 'unknown' | 'withheld';
}>('gateway.letter-attempted');

/** Refusals that the audit log counts are stored. */
export const refusalsRecorded = definePoint<{ readonly accountIds: readonly string[] }>('gateway.refusals-recorded');

/** The entry of a call that is about to run is stored. */
export const auditEntryBegun = definePoint<{ readonly accountId: string; readonly operation: string }>(
  'gateway.audit-entry-begun',
);

/** A request failed because the disk of a database is full; readiness says so from now on. */
export const fullDiskMet = definePoint<{ readonly requestId: string }>('gateway.full-disk-met');
