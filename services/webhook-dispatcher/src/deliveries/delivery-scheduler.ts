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
import {
  addTo,
  type Counts,
  countOf,
  hasShare,
  isOwed,
  noCounts,
  type Priority,
  priorityOrder,
  roomFor,
} from './priority.rules.ts';

/** One endpoint's deliveries in this process. */
interface EndpointQueue {
  destination: Destination;
  /** By priority; each oldest first. */
  readonly byPriority: readonly [Delivery[], Delivery[], Delivery[]];
  readonly waiting: Counts;
  readonly inFlight: Counts;
  /** Requests of more urgent priorities that began while one of this priority waited. */
  readonly passedOver: Counts;
  /** Those in flight that gave up their slot. */
  overdue: number;
  /** A request is overdue and nothing has succeeded since it began. */
  stalled: boolean;
  health: Health;
  /** The group that counts `waiting`. */
  group: Group;
  succeededAtMs: number;
  usedAtMs: number;
  /** The set of ready queues that it stands in. */
  turn: Set<EndpointQueue> | undefined;
}

/** Queues that may start a request, by the priority of their next delivery; each in the order of their turns. */
type Ready = readonly [Set<EndpointQueue>, Set<EndpointQueue>, Set<EndpointQueue>];

/** One group's part of this process. */
interface GroupState {
  readonly slotsTaken: Counts;
  readonly waiting: Counts;
  readonly passedOver: Counts;
  readonly ready: Ready;
  /** Moving average over the exchanges. */
  meanMs: number;
}

interface InFlightRequest {
  readonly queue: EndpointQueue;
  readonly priority: Priority;
  readonly startedMs: number;
  /** The group whose slot it holds; null once it is overdue. */
  slot: Group | null;
}

/** `failed`: the receiver is to blame, and not this delivery alone. */
export type SendResult = 'ok' | 'failed';

export interface DeliverySchedulerOptions {
  /** Makes one exchange with the receiver; never rejects. */
  readonly send: (delivery: Delivery, destination: Destination) => Promise<SendResult>;
  /** Gets deliveries that cannot be sent soon; they are claimed again later. */
  readonly release: (endpointId: string, deliveries: readonly Delivery[]) => void;
  /** An exchange with the endpoint is over, so there may be capacity for more of its deliveries. */
  readonly onCapacity: (endpointId: string) => void;
  readonly attemptTimeoutMs: number;
  readonly emailTimeoutMs: number;
}

const overdueCheckIntervalMs = 250;
/** The health of an endpoint that was not used for this long is forgotten. */
const forgetAfterMs = 10 * 60_000;

/**
 * Decides whose delivery goes out next: the most urgent priority first (priority.rules.ts), the endpoints of a group take
 * turns, and no group takes the slots of another (capacity.rules.ts says why and how many). It knows nothing of HTTP or
 * the database.
 */
export class DeliveryScheduler {
  readonly #options: DeliverySchedulerOptions;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #groups: Readonly<Record<Group, GroupState>> = {
    quick: newGroup(),
    slow: newGroup(),
    new: newGroup(),
    'breaker-open': newGroup(),
    email: newGroup(),
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

  /** How many more deliveries of the priority the endpoint's queue takes. */
  freeCapacityOf(endpointId: string, priority: Priority): number {
    const queue = this.#queues.get(endpointId);
    return queue === undefined
      ? roomFor(capacityOf(unknownHealth), noCounts(), priority)
      : roomFor(capacityOfQueue(queue), heldBy(queue), priority);
  }

  /** Whether at least half of what the endpoint may hold of the priority is free, so that a claim is worth its statement. */
  isHalfFree(endpointId: string, priority: Priority): boolean {
    const queue = this.#queues.get(endpointId);
    return queue === undefined || this.freeCapacityOf(endpointId, priority) >= countOf(heldBy(queue), priority);
  }

  /** How many more deliveries of the priority may wait for endpoints of the group, and how many at most. */
  freeCapacityOfGroup(group: Group, priority: Priority): { free: number; max: number } {
    const { waiting, meanMs } = this.#groups[group];
    const free = roomFor(waitingMaxOf(group, meanMs), waiting, priority);
    return { free, max: free + countOf(waiting, priority) };
  }

  add(destination: Destination, deliveries: readonly Delivery[]): void {
    const queue = this.#queues.get(destination.endpointId) ?? newQueue(destination);
    this.#queues.set(destination.endpointId, queue);
    if (destination.version > queue.destination.version) queue.destination = destination;
    for (const delivery of deliveries) {
      queue.byPriority[delivery.priority].push(delivery);
      this.#countWaiting(queue, delivery.priority, 1);
    }
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
    queue.turn?.delete(queue);
    const group = groupOfQueue(queue);
    if (group !== queue.group) {
      moveCounts(queue.waiting, this.#groups[queue.group].waiting, this.#groups[group].waiting);
      queue.group = group;
    }
    const next = nextPriorityOf(queue);
    queue.turn = next === undefined ? undefined : this.#groups[group].ready[next];
    queue.turn?.add(queue);
  }

  #startRequests(): void {
    for (const group of groups)
      for (const priority of priorityOrder)
        for (const queue of this.#groups[group].ready[priority]) {
          this.#startPassedOver(group, priority);
          if (!this.#hasSlot(group, priority)) break;
          // The queue goes to the end of the set, where this very loop meets it again.
          this.#start(queue, priority);
        }
  }

  /** Starts a request of a less urgent priority that more urgent ones have passed over for long. */
  #startPassedOver(group: Group, by: Priority): void {
    const { passedOver, ready } = this.#groups[group];
    for (const priority of priorityOrder) {
      if (priority <= by || !isOwed(passedOver[priority]) || !this.#hasSlot(group, priority)) continue;
      const [queue] = ready[priority];
      if (queue !== undefined) this.#start(queue, priority);
    }
  }

  #hasSlot(group: Group, priority: Priority): boolean {
    if (this.#closed || !hasShare(slotsOfGroup[group], this.#groups[group].slotsTaken, priority)) return false;
    return (group !== 'new' && group !== 'breaker-open') || this.#overdue < overdueMax;
  }

  /** @param mostUrgent the most urgent priority of which something waits for the endpoint and may start */
  #start(queue: EndpointQueue, mostUrgent: Priority): void {
    const { group } = queue;
    const priority = this.#priorityToStart(queue, mostUrgent);
    const delivery = this.#nextLeased(queue, priority);
    if (delivery !== undefined) {
      const request: InFlightRequest = { queue, priority, slot: group, startedMs: performance.now() };
      addTo(queue.inFlight, priority, 1);
      addTo(this.#groups[group].slotsTaken, priority, 1);
      this.#requests.add(request);
      void this.#options.send(delivery, queue.destination).then((result) => this.#finish(request, result));
    }
    this.#requeue(queue);
    const { passedOver, ready } = this.#groups[group];
    passedOver[priority] = queue.passedOver[priority] = 0;
    for (let other = priority + 1; other < priorityOrder.length; other += 1) {
      if (queue.byPriority[other as Priority].length > 0) queue.passedOver[other as Priority] += 1;
      if (ready[other as Priority].size > 0) passedOver[other as Priority] += 1;
    }
  }

  /** Usually the most urgent, now and then one that it has passed over for long. */
  #priorityToStart(queue: EndpointQueue, mostUrgent: Priority): Priority {
    for (const priority of priorityOrder) {
      if (priority <= mostUrgent || !isOwed(queue.passedOver[priority])) continue;
      if (mayStart(queue, priority) && this.#hasSlot(queue.group, priority)) return priority;
    }
    return mostUrgent;
  }

  /** The next delivery of the priority whose lease outlasts an attempt; those before it are released. */
  #nextLeased(queue: EndpointQueue, priority: Priority): Delivery | undefined {
    const waiting = queue.byPriority[priority];
    const { attemptTimeoutMs, emailTimeoutMs } = this.#options;
    const doneByMs = performance.now() + (queue.group === 'email' ? emailTimeoutMs : attemptTimeoutMs);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      this.#countWaiting(queue, priority, -1);
      if (next.leaseEndsMs > doneByMs) return next;
      this.#options.release(queue.destination.endpointId, [next]);
    }
    return undefined;
  }

  #finish(request: InFlightRequest, result: SendResult): void {
    const { queue, priority } = request;
    const failed = result === 'failed';
    const nowMs = performance.now();
    const durationMs = nowMs - request.startedMs;
    this.#requests.delete(request);
    addTo(queue.inFlight, priority, -1);
    if (request.slot === null) {
      this.#overdue -= 1;
      queue.overdue -= 1;
    } else addTo(this.#groups[request.slot].slotsTaken, priority, -1);
    queue.usedAtMs = nowMs;
    if (!failed) queue.succeededAtMs = nowMs;
    if (!failed || queue.overdue === 0) queue.stalled = false;
    const wasOpen = queue.group === 'breaker-open';
    queue.health = healthAfter(queue.health, durationMs, failed);
    this.#requeue(queue);
    const state = this.#groups[queue.group];
    state.meanMs = state.meanMs * 0.9 + durationMs * 0.1;
    if (queue.group === 'breaker-open' && !wasOpen) this.#releaseWaiting(queue);
    this.#startRequests();
    this.#options.onCapacity(queue.destination.endpointId);
    if (this.#closed && this.#requests.size === 0) this.#onIdle?.();
  }

  #findOverdue(): void {
    const nowMs = performance.now();
    for (const request of this.#requests) {
      const { queue, priority, slot, startedMs } = request;
      if (slot === null || slot === 'email' || nowMs - startedMs <= overdueAfterMs(queue.health)) continue;
      request.slot = null;
      addTo(this.#groups[slot].slotsTaken, priority, -1);
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
    const taken = priorityOrder.flatMap((priority) => {
      const waiting = queue.byPriority[priority].splice(0);
      this.#countWaiting(queue, priority, -waiting.length);
      return waiting;
    });
    this.#requeue(queue);
    return taken;
  }

  #countWaiting(queue: EndpointQueue, priority: Priority, count: number): void {
    addTo(queue.waiting, priority, count);
    addTo(this.#groups[queue.group].waiting, priority, count);
  }

  #forgetUnused(): void {
    const beforeMs = performance.now() - forgetAfterMs;
    for (const [id, queue] of this.#queues)
      if (heldBy(queue)[0] === 0 && queue.usedAtMs < beforeMs) this.#queues.delete(id);
  }
}

const newQueue = (destination: Destination): EndpointQueue => ({
  destination,
  byPriority: [[], [], []],
  waiting: noCounts(),
  inFlight: noCounts(),
  passedOver: noCounts(),
  overdue: 0,
  stalled: false,
  health: unknownHealth,
  group: destination.channel === 'email' ? 'email' : groupOf(unknownHealth),
  succeededAtMs: Number.NEGATIVE_INFINITY,
  usedAtMs: performance.now(),
  turn: undefined,
});

const groupOfQueue = ({ destination, stalled, health }: EndpointQueue): Group =>
  destination.channel === 'email' ? 'email' : stalled ? 'breaker-open' : groupOf(health);

const newGroup = (): GroupState => ({
  slotsTaken: noCounts(),
  waiting: noCounts(),
  passedOver: noCounts(),
  ready: [new Set(), new Set(), new Set()],
  meanMs: 0,
});

const capacityOfQueue = (queue: EndpointQueue): number => (queue.stalled ? 0 : capacityOf(queue.health));

const heldBy = ({ waiting, inFlight }: EndpointQueue): Counts => [
  waiting[0] + inFlight[0],
  waiting[1] + inFlight[1],
  waiting[2] + inFlight[2],
];

const mayStart = (queue: EndpointQueue, priority: Priority): boolean =>
  queue.byPriority[priority].length > 0 && hasShare(slotsOf(queue.health), queue.inFlight, priority);

/** A stalled queue is empty, because its deliveries were released. */
function nextPriorityOf(queue: EndpointQueue): Priority | undefined {
  if (queue.waiting[0] === 0) return undefined;
  for (const priority of priorityOrder) if (mayStart(queue, priority)) return priority;
  return undefined;
}

function moveCounts(counts: Counts, from: Counts, to: Counts): void {
  for (const priority of priorityOrder) {
    from[priority] -= counts[priority];
    to[priority] += counts[priority];
  }
}
