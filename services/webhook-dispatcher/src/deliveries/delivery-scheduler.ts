import {
  capacityOf,
  type Group,
  groupOf,
  groups,
  type Health,
  healthAfter,
  overdueAfterMs,
  overdueMax,
  slotsOf,
  slotsOfGroup,
  unknownHealth,
  waitingMaxOf,
} from './capacity.rules.ts';
import type { Delivery, Destination } from './delivery.types.ts';

/** One endpoint's deliveries in this process, oldest first. */
interface EndpointQueue {
  destination: Destination;
  readonly waiting: Delivery[];
  inFlight: number;
  /** Those in flight that gave up their slot. */
  overdue: number;
  /** A request is overdue and nothing has succeeded since it began. */
  stalled: boolean;
  health: Health;
  /** The group that counts `waiting`. */
  group: Group;
  succeededAtMs: number;
  usedAtMs: number;
}

interface InFlightRequest {
  readonly queue: EndpointQueue;
  readonly startedMs: number;
  /** The group whose slot it holds; null once it is overdue. */
  slot: Group | null;
}

export interface DeliverySchedulerOptions {
  /** Makes one exchange with the receiver. Resolves to whether it failed; never rejects. */
  readonly send: (delivery: Delivery, destination: Destination) => Promise<boolean>;
  /** Gets deliveries that cannot be sent soon; they are claimed again later. */
  readonly release: (endpointId: string, deliveries: readonly Delivery[]) => void;
  /** An exchange with the endpoint is over, so there may be capacity for more of its deliveries. */
  readonly onCapacity: (endpointId: string) => void;
  readonly attemptTimeoutMs: number;
}

const overdueCheckIntervalMs = 250;
/** The health of an endpoint that was not used for this long is forgotten. */
const forgetAfterMs = 10 * 60_000;

/**
 * Decides whose delivery goes out next: the endpoints of a group take turns, and no group takes the slots of another
 * (capacity.rules.ts says why and how many). It knows nothing of HTTP or the database.
 */
export class DeliveryScheduler {
  readonly #options: DeliverySchedulerOptions;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #slotsTaken: Record<Group, number> = { quick: 0, slow: 0, new: 0, failing: 0 };
  readonly #waiting: Record<Group, number> = { quick: 0, slow: 0, new: 0, failing: 0 };
  /** Moving averages over the exchanges of each group. */
  readonly #meanMs: Record<Group, number> = { quick: 0, slow: 0, new: 0, failing: 0 };
  /** Queues that may start a request, in the order of their turns. */
  readonly #ready: Record<Group, Set<EndpointQueue>> = {
    quick: new Set(),
    slow: new Set(),
    new: new Set(),
    failing: new Set(),
  };
  readonly #requests = new Set<InFlightRequest>();
  readonly #timers: NodeJS.Timeout[];
  #overdue = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: DeliverySchedulerOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#findOverdue(), overdueCheckIntervalMs).unref(),
      setInterval(() => this.#forgetUnused(), forgetAfterMs).unref(),
    ];
  }

  groupOf(endpointId: string): Group {
    return this.#queues.get(endpointId)?.group ?? 'new';
  }

  /** How many more deliveries the endpoint's queue takes. */
  freeCapacityOf(endpointId: string): number {
    const queue = this.#queues.get(endpointId);
    if (queue === undefined) return capacityOf(unknownHealth);
    return Math.max(0, capacityOfQueue(queue) - queue.waiting.length - queue.inFlight);
  }

  /** Whether at least half of the endpoint's capacity is free, so that a claim is worth its statement. */
  isHalfFree(endpointId: string): boolean {
    const queue = this.#queues.get(endpointId);
    return queue === undefined || this.freeCapacityOf(endpointId) * 2 >= capacityOfQueue(queue);
  }

  /** How many more deliveries may wait for endpoints of the group, and how many at most. */
  freeCapacityOfGroup(group: Group): { free: number; max: number } {
    const max = waitingMaxOf(group, this.#meanMs[group]);
    return { free: Math.max(0, max - this.#waiting[group]), max };
  }

  add(destination: Destination, deliveries: readonly Delivery[]): void {
    const queue = this.#queues.get(destination.endpointId) ?? newQueue(destination);
    this.#queues.set(destination.endpointId, queue);
    if (destination.version > queue.destination.version) queue.destination = destination;
    for (const delivery of deliveries) queue.waiting.push(delivery);
    this.#waiting[queue.group] += deliveries.length;
    if (queue.stalled) this.#releaseWaiting(queue);
    this.#requeue(queue);
    this.#startRequests();
  }

  /** Removes and returns the deliveries that were not started, of one endpoint or of all. */
  takeWaiting(endpointId?: string): Delivery[] {
    const chosen = endpointId === undefined ? [...this.#queues.values()] : [this.#queues.get(endpointId)];
    return chosen.flatMap((queue) => (queue === undefined ? [] : this.#takeWaitingOf(queue)));
  }

  /** Starts no further request; resolves when nothing is in flight, at the latest after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#requests.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
  }

  /** Moves the queue to the group it belongs to now, and to the end of that group's turns if it may start a request. */
  #requeue(queue: EndpointQueue): void {
    this.#ready[queue.group].delete(queue);
    const group = queue.stalled ? 'failing' : groupOf(queue.health);
    this.#waiting[queue.group] -= queue.waiting.length;
    this.#waiting[group] += queue.waiting.length;
    queue.group = group;
    // A stalled queue is empty, because its deliveries were released.
    if (queue.waiting.length > 0 && queue.inFlight < slotsOf(queue.health)) this.#ready[group].add(queue);
  }

  #startRequests(): void {
    for (const group of groups) {
      for (const queue of this.#ready[group]) {
        if (this.#closed || this.#slotsTaken[group] >= slotsOfGroup[group]) break;
        if ((group === 'new' || group === 'failing') && this.#overdue >= overdueMax) break;
        this.#start(queue);
        // The queue goes to the end of the set, where this very loop meets it again.
        this.#requeue(queue);
      }
    }
  }

  #start(queue: EndpointQueue): void {
    const delivery = this.#nextLeased(queue);
    if (delivery === undefined) return;
    const request: InFlightRequest = { queue, slot: queue.group, startedMs: performance.now() };
    queue.inFlight += 1;
    this.#slotsTaken[queue.group] += 1;
    this.#requests.add(request);
    void this.#options.send(delivery, queue.destination).then((failed) => this.#finish(request, failed));
  }

  /** The next delivery whose lease outlasts an attempt; those before it are released. */
  #nextLeased(queue: EndpointQueue): Delivery | undefined {
    const doneByMs = performance.now() + this.#options.attemptTimeoutMs;
    for (let next = queue.waiting.shift(); next !== undefined; next = queue.waiting.shift()) {
      this.#waiting[queue.group] -= 1;
      if (next.leaseEndsMs > doneByMs) return next;
      this.#options.release(queue.destination.endpointId, [next]);
    }
    return undefined;
  }

  #finish(request: InFlightRequest, failed: boolean): void {
    const { queue } = request;
    const nowMs = performance.now();
    const durationMs = nowMs - request.startedMs;
    this.#requests.delete(request);
    queue.inFlight -= 1;
    if (request.slot === null) {
      this.#overdue -= 1;
      queue.overdue -= 1;
    } else this.#slotsTaken[request.slot] -= 1;
    queue.usedAtMs = nowMs;
    if (!failed) queue.succeededAtMs = nowMs;
    if (!failed || queue.overdue === 0) queue.stalled = false;
    const wasFailing = queue.group === 'failing';
    queue.health = healthAfter(queue.health, durationMs, failed);
    this.#requeue(queue);
    this.#meanMs[queue.group] = this.#meanMs[queue.group] * 0.9 + durationMs * 0.1;
    if (queue.group === 'failing' && !wasFailing) this.#releaseWaiting(queue);
    this.#startRequests();
    this.#options.onCapacity(queue.destination.endpointId);
    if (this.#closed && this.#requests.size === 0) this.#onIdle?.();
  }

  #findOverdue(): void {
    const nowMs = performance.now();
    for (const request of this.#requests) {
      const { queue, slot, startedMs } = request;
      if (slot === null || nowMs - startedMs <= overdueAfterMs(queue.health)) continue;
      request.slot = null;
      this.#slotsTaken[slot] -= 1;
      this.#overdue += 1;
      queue.overdue += 1;
      if (queue.succeededAtMs <= startedMs) {
        queue.stalled = true;
        this.#releaseWaiting(queue);
      }
      this.#requeue(queue);
    }
    this.#startRequests();
  }

  /** Deliveries for an endpoint that hangs or fails wait in the database, where they take no other endpoint's capacity. */
  #releaseWaiting(queue: EndpointQueue): void {
    const released = this.#takeWaitingOf(queue);
    if (released.length > 0) this.#options.release(queue.destination.endpointId, released);
  }

  #takeWaitingOf(queue: EndpointQueue): Delivery[] {
    const taken = queue.waiting.splice(0);
    this.#waiting[queue.group] -= taken.length;
    this.#requeue(queue);
    return taken;
  }

  #forgetUnused(): void {
    const beforeMs = performance.now() - forgetAfterMs;
    for (const [id, queue] of this.#queues)
      if (queue.inFlight === 0 && queue.waiting.length === 0 && queue.usedAtMs < beforeMs) this.#queues.delete(id);
  }
}

const newQueue = (destination: Destination): EndpointQueue => ({
  destination,
  waiting: [],
  inFlight: 0,
  overdue: 0,
  stalled: false,
  health: unknownHealth,
  group: groupOf(unknownHealth),
  succeededAtMs: Number.NEGATIVE_INFINITY,
  usedAtMs: performance.now(),
});

const capacityOfQueue = (queue: EndpointQueue): number => (queue.stalled ? 0 : capacityOf(queue.health));
