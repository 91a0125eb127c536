import { type Group, groups } from './capacity.rules.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';

/** Deliveries of one claim, all endpoints together: with bodies of 100 KiB still a bounded answer. */
const claimMax = 1_000;
/** A claim is worth its statement when this part of what may wait is free. */
const worthwhilePart = 1 / 4;

/**
 * The endpoints that are known to have due deliveries in the database, and how many of each are claimed next: no more
 * than can be sent soon, shared evenly, in turns. Those whose own queue is full wait aside until it has room.
 */
export class Backlog {
  readonly #scheduler: DeliveryScheduler;
  readonly #full = new Set<string>();
  readonly #wanting: Record<Group, Set<string>> = {
    quick: new Set(),
    slow: new Set(),
    new: new Set(),
    failing: new Set(),
  };

  constructor(scheduler: DeliveryScheduler) {
    this.#scheduler = scheduler;
  }

  has(endpointId: string): boolean {
    return this.#full.has(endpointId) || groups.some((group) => this.#wanting[group].has(endpointId));
  }

  /** The endpoint has something due; it keeps its place in line if it has one. */
  note(endpointId: string): void {
    const group = this.#scheduler.groupOf(endpointId);
    if (this.#wanting[group].has(endpointId)) return;
    this.remove(endpointId);
    if (this.#scheduler.isHalfFree(endpointId) && this.#scheduler.roomOf(endpointId) > 0)
      this.#wanting[group].add(endpointId);
    else this.#full.add(endpointId);
  }

  remove(endpointId: string): void {
    this.#full.delete(endpointId);
    for (const group of groups) this.#wanting[group].delete(endpointId);
  }

  /** An exchange with the endpoint is over: whether a claim is worth it now. */
  hasRoom(endpointId: string): boolean {
    if (this.#full.has(endpointId)) this.note(endpointId);
    return groups.some((group) => this.#wanting[group].size > 0 && this.#roomOfGroup(group) > 0);
  }

  /** What to claim now, by endpoint; those named have to be noted again when there is more. */
  takeRooms(): Map<string, number> {
    const rooms = new Map<string, number>();
    let left = claimMax;
    for (const group of groups) {
      const wanting = this.#wanting[group];
      let free = Math.min(left, this.#roomOfGroup(group));
      const share = Math.max(1, Math.floor(free / Math.max(1, wanting.size)));
      for (const endpointId of wanting) {
        if (free === 0) break;
        wanting.delete(endpointId);
        const room = Math.min(share, free, this.#scheduler.roomOf(endpointId));
        if (room === 0 || this.#scheduler.groupOf(endpointId) !== group) {
          this.note(endpointId);
          continue;
        }
        rooms.set(endpointId, room);
        free -= room;
        left -= room;
      }
    }
    return rooms;
  }

  /** None rather than few. */
  #roomOfGroup(group: Group): number {
    const { free, max } = this.#scheduler.roomOfGroup(group);
    return free >= max * worthwhilePart ? free : 0;
  }
}
