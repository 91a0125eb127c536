import { dayMs, hourMs } from '@app/contracts/durations';
import { idFloor } from '@app/contracts/ids';

export interface RecoveryRef {
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
}

/** Where a recovery is. `cursor`: ids up to it are done; of events or of deliveries, as the phase says. */
export interface Position {
  readonly phase: 'events' | 'deliveries';
  readonly cursor: string;
}

/** Ids and times that two machines made at one moment differ by less. */
export const clockSkewMs = hourMs;

/**
 * The id of `order.paid` is the order's, which is made when its card is tried. A sale with an upsell happens when its
 * hold is captured: card networks hold for 7 days, the one charge after that may stay unknown for a day, and the daily run
 * that looks it up may be a day late. That makes 9, and one more. All other events get their ids when they happen.
 */
export const idBeforeEventMs = 10 * dayMs;

/**
 * The events that a recovery concerns: those that happened from `since` on and before `before`. Ids bound what is read,
 * so that other partitions stay untouched, and the time of the event decides.
 */
export interface Span {
  readonly since: Date;
  readonly before: Date;
  /** Events of the span have ids after the first and before the second. */
  readonly eventIds: readonly [string, string];
  /** Their deliveries have ids after it. An event may be stored long after it happened, so there is no other end. */
  readonly deliveriesAfter: string;
  /** A delivery with an id before this one, of an event with an id after the other, belongs to the span for sure. */
  readonly surely: { readonly eventsAfter: string; readonly deliveriesBefore: string };
}

/** @param until belongs to the span, with its last millisecond: what has just happened may have happened in it */
export function spanOf(since: Date, until: Date): Span {
  const [sinceMs, beforeMs] = [since.getTime(), until.getTime() + 1];
  return {
    since,
    before: new Date(beforeMs),
    eventIds: [idFloor('event', sinceMs - idBeforeEventMs), idFloor('event', beforeMs + clockSkewMs)],
    deliveriesAfter: idFloor('delivery', sinceMs - clockSkewMs),
    surely: {
      eventsAfter: idFloor('event', sinceMs + clockSkewMs),
      deliveriesBefore: idFloor('delivery', beforeMs - clockSkewMs),
    },
  };
}

/** Events with ids from it on came after the endpoint: they have a delivery for it. */
export const idsSince = (endpointMadeAt: Date): string => idFloor('event', endpointMadeAt.getTime() + clockSkewMs);

/** @param span null for what is held, which is taken whatever its age */
export const deliveriesSince = (span: Span | null): Position => ({
  phase: 'deliveries',
  cursor: span === null ? '' : span.deliveriesAfter,
});

/** Only `all` searches for events without a delivery, and only an endpoint that is younger than the time can lack any. */
export function firstPosition(which: 'failed' | 'all' | 'orders', span: Span | null, endpointMadeAt: Date): Position {
  if (which !== 'all' || span === null || span.since.getTime() > endpointMadeAt.getTime() + clockSkewMs)
    return deliveriesSince(span);
  return { phase: 'events', cursor: span.eventIds[0] };
}
