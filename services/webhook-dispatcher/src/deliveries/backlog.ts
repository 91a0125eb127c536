import { type Group, groups } from './capacity.rules.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';
import type { HostRate } from './host-rates.ts';
import { type Priority, priorityOrder } from './priority.rules.ts';
import type { TokenBucket } from './token-bucket.ts';

/** Deliveries of one claim, all endpoints together: the result stays bounded even with bodies of 100 KiB. */
const claimMax = 1_000;
/** A claim is worth its statement when this part of what a group may hold is free. */
const freePartMin = 1 / 4;

/** What the backlog needs of the scheduler. */
type Capacity = Pick<
  DeliveryScheduler,
  'groupOf' | 'freeCapacityOf' | 'freeCapacityOfGroup' | 'hostRateOf' | 'isHalfFree'
>;

/** How many deliveries of one priority to claim for an endpoint, at most. */
export interface ClaimLimit {
  readonly endpointId: string;
  readonly priority: Priority;
  readonly limit: number;
}

/** The endpoints that have something due of one priority. */
interface DueEndpoints {
  /** Those without capacity. */
  readonly full: Set<string>;
  readonly claimable: Readonly<Record<Group, Set<string>>>;
}

/**
 * The endpoints that are known to have due deliveries in the database, by priority, and how many of each are claimed
 * next: no more than can be sent soon, more urgent priorities first, shared evenly among endpoints, in turns. An endpoint
 * whose queue is full is set aside until it has capacity.
 *
 * Without even parts the four quick endpoints that come first take all of a claim, 256 at most each, however many others have
 * something due. Were an endpoint not set aside until half of its queue is free, and a group until a quarter of its room is, each
 * exchange that ends would make a claim, of a few deliveries (backlog.test.ts).
 */
export class Backlog {
  readonly #capacity: Capacity;
  readonly #due: readonly [DueEndpoints, DueEndpoints, DueEndpoints] = [newDue(), newDue(), newDue()];

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  /** Whether the endpoint has something due that goes before a new delivery of the priority, or at the same time. */
  has(endpointId: string, priority: Priority): boolean {
    return priorityOrder.some((other) => other <= priority && isIn(this.#due[other], endpointId));
  }

  /** The endpoint has something due. An endpoint that is in line keeps its position. */
  add(endpointId: string, priority: Priority): void {
    const { full, claimable } = this.#due[priority];
    const group = this.#capacity.groupOf(endpointId);
    if (claimable[group].has(endpointId)) return;
    full.delete(endpointId);
    for (const other of groups) claimable[other].delete(endpointId);
    if (this.#capacity.isHalfFree(endpointId, priority) && this.#capacity.freeCapacityOf(endpointId, priority) > 0)
      claimable[group].add(endpointId);
    else full.add(endpointId);
  }

  /** An exchange with the endpoint is over: whether a claim is worth its statement now. */
  isClaimDue(endpointId: string): boolean {
    for (const priority of priorityOrder) if (this.#due[priority].full.has(endpointId)) this.add(endpointId, priority);
    for (const priority of priorityOrder)
      for (const group of groups)
        if (this.#due[priority].claimable[group].size > 0 && this.#freeCapacityOfGroup(group, priority) > 0)
          return true;
    return false;
  }

  /** What to claim now. Those endpoints leave the backlog with that priority; add them again if more is due. */
  takeNextClaim(): ClaimLimit[] {
    const limits: ClaimLimit[] = [];
    const claimed = nothingClaimed();
    for (const priority of priorityOrder) for (const group of groups) this.#takeFrom(group, priority, claimed, limits);
    return limits;
  }

  #takeFrom(group: Group, priority: Priority, claimed: ClaimedSoFar, limits: ClaimLimit[]): void {
    const claimable = this.#due[priority].claimable[group];
    const inGroup = this.#freeCapacityOfGroup(group, priority) - claimed.ofGroup[group];
    let free = Math.max(0, Math.min(claimMax - claimed.all, inGroup));
    const evenPart = Math.max(1, Math.floor(free / Math.max(1, claimable.size)));
    for (const endpointId of claimable) {
      if (free === 0) break;
      const { room, before } = this.#roomOf(endpointId, priority, claimed);
      const limit = Math.min(evenPart, free, room);
      // What the claim takes otherwise may fill the endpoint, or its host: the next claim checks again.
      if (limit <= 0 && before > 0) continue;
      claimable.delete(endpointId);
      if (limit <= 0 || this.#capacity.groupOf(endpointId) !== group) {
        this.add(endpointId, priority);
        continue;
      }
      limits.push({ endpointId, priority, limit });
      free -= limit;
      claimed.ofGroup[group] += limit;
      addClaimed(claimed, endpointId, this.#capacity.hostRateOf(endpointId), limit);
    }
  }

  /** How much the endpoint and its host's bound leave, and how much of both this claim has taken. */
  #roomOf(endpointId: string, priority: Priority, claimed: ClaimedSoFar): { room: number; before: number } {
    const rate = this.#capacity.hostRateOf(endpointId);
    const before = claimed.ofEndpoint.get(endpointId) ?? 0;
    const room = this.#capacity.freeCapacityOf(endpointId, priority) - before;
    if (rate === null) return { room, before };
    const ofHost = Math.max(...rate.bounds.map((bound) => claimed.ofHost.get(bound) ?? 0));
    return { room: Math.min(room, rate.roomFor(priority, claimed.ofHost)), before: before + ofHost };
  }

  /** Zero while too little is free to be worth a claim. */
  #freeCapacityOfGroup(group: Group, priority: Priority): number {
    const { free, max } = this.#capacity.freeCapacityOfGroup(group, priority);
    return free >= max * freePartMin ? free : 0;
  }
}

/** What one claim takes, as far as its limits are chosen. */
interface ClaimedSoFar {
  all: number;
  readonly ofGroup: Record<Group, number>;
  readonly ofEndpoint: Map<string, number>;
  /** By each bound of a host or of all hosts. */
  readonly ofHost: Map<TokenBucket, number>;
}
function addClaimed(claimed: ClaimedSoFar, endpointId: string, rate: HostRate | null, count: number): void {
  claimed.all += count;
  claimed.ofEndpoint.set(endpointId, (claimed.ofEndpoint.get(endpointId) ?? 0) + count);
  for (const bound of rate?.bounds ?? []) claimed.ofHost.set(bound, (claimed.ofHost.get(bound) ?? 0) + count);
}
const nothingClaimed = (): ClaimedSoFar => ({
  all: 0,
  ofGroup: { quick: 0, slow: 0, new: 0, 'breaker-open': 0, email: 0 },
  ofEndpoint: new Map(),
  ofHost: new Map(),
});

const newDue = (): DueEndpoints => ({
  full: new Set(),
  claimable: { quick: new Set(), slow: new Set(), new: new Set(), 'breaker-open': new Set(), email: new Set() },
});

const isIn = ({ full, claimable }: DueEndpoints, endpointId: string): boolean =>
  full.has(endpointId) || groups.some((group) => claimable[group].has(endpointId));
