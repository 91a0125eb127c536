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
  /** Of those, the ones that hold no slot any more. */
  overdue: number;
  /** A request is overdue and nothing has succeeded since it began. */
  stalled: boolean;
  health: Health;
  /** Where `waiting` is counted. */
  group: Group;
  succeededAtMs: number;
  usedAtMs: number;
}

interface InFlightRequest {
  readonly queue: EndpointQueue;
  readonly startedMs: number;
  /** Whose slot it holds; null once it is overdue. */
  slot: Group | null;
}

export interface DeliverySchedulerOptions {
  /** One exchange with the receiver; resolves to whether it failed, never rejects. */
  readonly send: (delivery: Delivery, destination: Destination) => Promise<boolean>;
  /** Deliveries that cannot be sent soon: they are taken anew later. */
  readonly giveBack: (endpointId: string, deliveries: readonly Delivery[]) => void;
  /** An exchange with the endpoint is over: there may be room for more. */
  readonly hasRoom: (endpointId: string) => void;
  readonly attemptTimeoutMs: number;
}

const tickMs = 250;
/** What is known of an endpoint's health is forgotten when it has not been used for this long. */
const forgetAfterMs = 10 * 60_000;

/**
 * Decides whose delivery goes out next: endpoints take turns within their group, and no group takes another's slots
 * (why and how many: capacity.rules.ts). Knows nothing of HTTP or the database.
 */
export class DeliveryScheduler {
  readonly #options: DeliverySchedulerOptions;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #slotsTaken: Record<Group, number> = { quick: 0, slow: 0, new: 0, failing: 0 };
  readonly #waiting: Record<Group, number> = { quick: 0, slow: 0, new: 0, failing: 0 };
  /** Smoothed durations of the exchanges of each group. */
  readonly #usualMs: Record<Group, number> = { quick: 0, slow: 0, new: 0, failing: 0 };
  /** Queues that could start a request, in the order of their turns. */
  readonly #turns: Record<Group, Set<EndpointQueue>> = {
    quick: new Set(),
    slow: new Set(),
    new: new Set(),
    failing: new Set(),
  };
  readonly #requests = new Set<InFlightRequest>();
  readonly #timers: NodeJS.Timeout[];
  #overdue = 0;
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: DeliverySchedulerOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#findOverdue(), tickMs).unref(),
      setInterval(() => this.#forgetUnused(), forgetAfterMs).unref(),
    ];
  }

  groupOf(endpointId: string): Group {
    return this.#queues.get(endpointId)?.group ?? 'new';
  }

  /** How many more deliveries of the endpoint its own queue takes. */
  roomOf(endpointId: string): number {
    const queue = this.#queues.get(endpointId);
    if (queue === undefined) return capacityOf(unknownHealth);
    return Math.max(0, capacity(queue) - queue.waiting.length - queue.inFlight);
  }

  /** Whether at least half of the endpoint's capacity is free: then a claim is worth its statement. */
  isHalfFree(endpointId: string): boolean {
    const queue = this.#queues.get(endpointId);
    return queue === undefined || this.roomOf(endpointId) * 2 >= capacity(queue);
  }

  /** How many more deliveries may wait for endpoints of the group, and how many at all. */
  roomOfGroup(group: Group): { free: number; max: number } {
    const max = waitingMaxOf(group, this.#usualMs[group]);
    return { free: Math.max(0, max - this.#waiting[group]), max };
  }

  add(destination: Destination, deliveries: readonly Delivery[]): void {
    const queue = this.#queues.get(destination.endpointId) ?? newQueue(destination);
    this.#queues.set(destination.endpointId, queue);
    if (destination.version > queue.destination.version) queue.destination = destination;
    for (const delivery of deliveries) queue.waiting.push(delivery);
    this.#waiting[queue.group] += deliveries.length;
    if (queue.stalled) this.#releaseWaiting(queue);
    this.#queueUp(queue);
    this.#startRequests();
  }

  /** Takes out what has not started, of one endpoint or of all. */
  empty(endpointId?: string): Delivery[] {
    const chosen = endpointId === undefined ? [...this.#queues.values()] : [this.#queues.get(endpointId)];
    return chosen.flatMap((queue) => (queue === undefined ? [] : this.#takeWaiting(queue)));
  }

  /** Starts nothing any more; resolves when nothing is in flight, at the latest after the limit. */
  async close(limitMs: number): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#requests.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
  }

  /** Counts the queue in the group it belongs to now, and gives it its place in line when it may start something. */
  #queueUp(queue: EndpointQueue): void {
    this.#turns[queue.group].delete(queue);
    const group = queue.stalled ? 'failing' : groupOf(queue.health);
    this.#waiting[queue.group] -= queue.waiting.length;
    this.#waiting[group] += queue.waiting.length;
    queue.group = group;
    const mayStart = !queue.stalled && queue.inFlight < slotsOf(queue.health);
    if (queue.waiting.length > 0 && mayStart) this.#turns[group].add(queue);
  }

  #startRequests(): void {
    for (const group of groups) {
      for (const queue of this.#turns[group]) {
        if (this.#closed || this.#slotsTaken[group] >= slotsOfGroup[group]) break;
        if ((group === 'new' || group === 'failing') && this.#overdue >= overdueMax) break;
        this.#start(queue);
        // Last in line again, where this very loop meets it next.
        this.#queueUp(queue);
      }
    }
  }

  #start(queue: EndpointQueue): void {
    const delivery = this.#takeFresh(queue);
    if (delivery === undefined) return;
    const request: InFlightRequest = { queue, slot: queue.group, startedMs: performance.now() };
    queue.inFlight += 1;
    this.#slotsTaken[queue.group] += 1;
    this.#requests.add(request);
    void this.#options.send(delivery, queue.destination).then((failed) => this.#finish(request, failed));
  }

  #takeFresh(queue: EndpointQueue): Delivery | undefined {
    const doneByMs = performance.now() + this.#options.attemptTimeoutMs;
    for (let next = queue.waiting.shift(); next !== undefined; next = queue.waiting.shift()) {
      this.#waiting[queue.group] -= 1;
      if (next.leaseEndsMs > doneByMs) return next;
      this.#options.giveBack(queue.destination.endpointId, [next]);
    }
    return undefined;
  }

  #finish(request: InFlightRequest, failed: boolean): void {
    const { queue } = request;
    const nowMs = performance.now();
    const tookMs = nowMs - request.startedMs;
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
    queue.health = healthAfter(queue.health, tookMs, failed);
    this.#queueUp(queue);
    this.#usualMs[queue.group] = this.#usualMs[queue.group] * 0.9 + tookMs * 0.1;
    if (queue.group === 'failing' && !wasFailing) this.#releaseWaiting(queue);
    this.#startRequests();
    this.#options.hasRoom(queue.destination.endpointId);
    if (this.#closed && this.#requests.size === 0) this.#whenIdle?.();
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
      if (queue.succeededAtMs < startedMs) {
        queue.stalled = true;
        this.#releaseWaiting(queue);
      }
      this.#queueUp(queue);
    }
    this.#startRequests();
  }

  /** What waits for an endpoint that hangs or fails waits in the database, where it takes nobody's room. */
  #releaseWaiting(queue: EndpointQueue): void {
    const released = this.#takeWaiting(queue);
    if (released.length > 0) this.#options.giveBack(queue.destination.endpointId, released);
  }

  #takeWaiting(queue: EndpointQueue): Delivery[] {
    const taken = queue.waiting.splice(0);
    this.#waiting[queue.group] -= taken.length;
    this.#queueUp(queue);
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

const capacity = (queue: EndpointQueue): number => (queue.stalled ? 0 : capacityOf(queue.health));
