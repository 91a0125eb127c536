import { type DeliveryStatus, deliveryStatuses } from '@app/contracts/webhook-deliveries';
import { deliveredEventName } from '@app/contracts/webhooks';

/**
 * An index that begins with what a list may be narrowed by holds the rows of one status and one event as a range, newest
 * last. A page reads the newest rows of each range that it wants and merges them: at most its length of each range, and
 * nothing of the others. So a filter that matches one row in a million reads as much as one that matches all.
 */
export interface IndexRanges {
  readonly statuses: readonly DeliveryStatus[];
  readonly names: readonly string[];
}

const allNames: readonly string[] = deliveredEventName.options;

const isLive = (status: DeliveryStatus): boolean => status === 'pending' || status === 'sending' || status === 'held';
const liveStatuses = deliveryStatuses.filter(isLive);
const finishedStatuses = deliveryStatuses.filter((status) => !isLive(status));

/** All pairs of a status and an event, as two arrays of equal length. */
function pairs(statuses: readonly DeliveryStatus[], names: readonly string[]): IndexRanges {
  return {
    statuses: statuses.flatMap((status) => names.map(() => status)),
    names: statuses.flatMap(() => names),
  };
}

export interface RangeFilters {
  readonly status?: DeliveryStatus | undefined;
  readonly event?: string | undefined;
}

/** The ranges of deliveries with work to do, and of those that are finished. */
export function rangesOf({ status, event }: RangeFilters): { live: IndexRanges; finished: IndexRanges } {
  const names = event === undefined ? allNames : [event];
  const wanted = (of: readonly DeliveryStatus[]) => of.filter((each) => status === undefined || each === status);
  return { live: pairs(wanted(liveStatuses), names), finished: pairs(wanted(finishedStatuses), names) };
}

/** The ranges of attempts: by event, and by whether they failed. */
export function attemptRangesOf({ status, event }: { status?: string | undefined; event?: string | undefined }): {
  names: readonly string[];
  failed: readonly boolean[];
} {
  const outcomes = status === undefined ? [true, false] : [status === 'failed'];
  const names = event === undefined ? allNames : [event];
  return { names: outcomes.flatMap(() => names), failed: outcomes.flatMap((failed) => names.map(() => failed)) };
}

/**
 * Which of two filters without a common index a list follows, an endpoint and an event. An event with so many rows at
 * most is rare: they are read, and those of the endpoint kept. Otherwise the rows of the endpoint are read, and those of
 * other events passed over: among many of them a page of a frequent event is soon full.
 */
export const rareRows = 1_000;
/**
 * The same of deliveries that wait. It is no longer than a page: of a table that is often short the planner would rather
 * read all rows and sort them than follow the index for a thousand.
 */
export const rareWaitingRows = 100;

/**
 * The newest rows of a range, as SQL: `$2` and `$3` bound the id, `limit` is how many. It compares whole rows and sorts by all
 * columns of the index. Equality and the order of ids would find the same rows; but when the planner believes a short range
 * to be long, it would then read the ids of all ranges in their order.
 */
export function inRange(
  columns: readonly string[],
  values: readonly string[],
  id: string,
  { bound = (param) => param, limit = '$4' }: { bound?: (param: string) => string; limit?: string } = {},
): string {
  const row = `(${[...columns, id].join(', ')})`;
  const at = (param: string) => `(${[...values, bound(param)].join(', ')})`;
  const order = [...columns, id].map((column) => `${column} desc`).join(', ');
  return `${row} < ${at('$2')} and ${row} >= ${at('$3')} order by ${order} limit ${limit}`;
}
