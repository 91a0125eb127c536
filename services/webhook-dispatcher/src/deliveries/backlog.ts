import { type Group, groups } from './capacity.rules.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';

/** Deliveries of one claim, all endpoints together: the result stays bounded even with bodies of 100 KiB. */
const claimMax = 1_000;
/** A claim is worth its statement when this part of a group's capacity is free. */
const freePartMin = 1 / 4;

/** What the backlog asks of the scheduler. */
type Capacity = Pick<DeliveryScheduler, 'groupOf' | 'freeCapacityOf' | 'freeCapacityOfGroup' | 'isHalfFree'>;

/**
 * The endpoints that are known to have due deliveries in the database, and how many of each are claimed next: no more
 * than can be sent soon, shared evenly, in turns. An endpoint whose queue is full is set aside until it has capacity.
 */
export class Backlog {
  readonly #capacity: Capacity;
  readonly #full = new Set<string>();
  readonly #claimable: Record<Group, Set<string>> = {
    quick: new Set(),
    slow: new Set(),
    new: new Set(),
    failing: new Set(),
  };

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  has(endpointId: string): boolean {
    return this.#full.has(endpointId) || groups.some((group) => this.#claimable[group].has(endpointId));
  }

  /** The endpoint has something due. An endpoint that is in line keeps its place. */
  add(endpointId: string): void {
    const group = this.#capacity.groupOf(endpointId);
    if (this.#claimable[group].has(endpointId)) return;
    this.#remove(endpointId);
    if (this.#capacity.isHalfFree(endpointId) && this.#capacity.freeCapacityOf(endpointId) > 0)
      this.#claimable[group].add(endpointId);
    else this.#full.add(endpointId);
  }

  /** An exchange with the endpoint is over: whether a claim is worth its statement now. */
  isClaimDue(endpointId: string): boolean {
    if (this.#full.has(endpointId)) this.add(endpointId);
    return groups.some((group) => this.#claimable[group].size > 0 && this.#freeCapacityOfGroup(group) > 0);
  }

  /** How many deliveries to claim now, by endpoint. Those endpoints leave the backlog; add them again if more is due. */
  takeNextClaim(): Map<string, number> {
    const limits = new Map<string, number>();
    let left = claimMax;
    for (const group of groups) {
      const claimable = this.#claimable[group];
      let free = Math.min(left, this.#freeCapacityOfGroup(group));
      const evenPart = Math.max(1, Math.floor(free / Math.max(1, claimable.size)));
      for (const endpointId of claimable) {
        if (free === 0) break;
        claimable.delete(endpointId);
        const limit = Math.min(evenPart, free, this.#capacity.freeCapacityOf(endpointId));
        if (limit === 0 || this.#capacity.groupOf(endpointId) !== group) {
          this.add(endpointId);
          continue;
        }
        limits.set(endpointId, limit);
        free -= limit;
        left -= limit;
      }
    }
    return limits;
  }

  #remove(endpointId: string): void {
    this.#full.delete(endpointId);
    for (const group of groups) this.#claimable[group].delete(endpointId);
  }

  /** Zero while too little is free to be worth a claim. */
  #freeCapacityOfGroup(group: Group): number {
    const { free, max } = this.#capacity.freeCapacityOfGroup(group);
    return free >= max * freePartMin ? free : 0;
  }
}
