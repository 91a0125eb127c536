import { idFloor } from '@app/contracts/ids';

export interface RecoveryRef {
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
}

/** Where a recovery is. `cursor`: ids up to it are done; of events or of deliveries, as the phase says. */
export interface Place {
  readonly phase: 'events' | 'deliveries';
  readonly cursor: string;
}

/** Events made so long after the endpoint, by another machine's clock, may still have come before it. */
export const clockSkewMs = 60 * 60 * 1000;

/** Exclusive end: the last millisecond counts, because what has just happened may have been made in it. */
export const lastMsOf = (until: Date): number => until.getTime() + 1;

/** @param since null for what is held, which is taken whatever its age */
export const deliveriesSince = (since: Date | null): Place => ({
  phase: 'deliveries',
  cursor: since === null ? '' : idFloor('delivery', since.getTime()),
});

/** Only `all` looks for events without a delivery, and only an endpoint that is younger than the time can lack any. */
export function firstPlace(which: 'failed' | 'all' | 'orders', since: Date | null, endpointMadeAt: Date): Place {
  if (which !== 'all' || since === null || since.getTime() > endpointMadeAt.getTime() + clockSkewMs)
    return deliveriesSince(since);
  return { phase: 'events', cursor: idFloor('event', since.getTime()) };
}
