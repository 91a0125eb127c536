import { minuteMs } from '@app/contracts/durations';
import { within } from '@app/service-kit/within';
import {
  capacityOf,
  type Group,
  groups,
  healthAfter,
  overdueAfterMs,
  overdueMax,
  slotsOfGroup,
  unknownHealth,
  waitingMaxOf,
} from './capacity.rules.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import {
  capacityOfQueue,
  type EndpointQueue,
  groupOfQueue,
  mayStart,
  newQueue,
  nextPriorityOf,
  waitingAndInFlight,
} from './endpoint-queue.ts';
import { type GroupState, newGroup } from './group-state.ts';
import type { HostRate, HostRates } from './host-rates.ts';
import { LimitedQueues } from './limited-queues.ts';
import { MailCircuit } from './mail-circuit.ts';
import {
  addTo,
  type Counts,
  countOf,
  hasShare,
  isStarved,
  noCounts,
  type Priority,
  priorityOrder,
  roomFor,
} from './priority.rules.ts';

interface InFlightRequest {
  readonly queue: EndpointQueue;
  readonly priority: Priority;
  readonly startedMs: number;
  /** The group whose slot it holds; null once it is overdue. */
  slot: Group | null;
}

/**
 * - `failed`: not delivered, which counts against the receiver: it may keep others from being sent.
 * - `away`: the mail server could not be reached; every other email would fail as well.
 * - `unsent`: the receiver was not called: the email was not submitted, or the address has got what it may.
 */
export type SendResult = 'ok' | 'failed' | 'away' | 'unsent';
/** What a delivery that is due waits for, beside a slot. */
export type WaitReason = 'host_rate' | 'mail_server';

export interface DeliverySchedulerOptions {
  /** Makes one exchange with the receiver; never rejects. */
  readonly send: (delivery: Delivery, destination: Destination) => Promise<SendResult>;
  /** Gets deliveries that cannot be sent soon; they are claimed again later. */
  readonly release: (endpointId: string, deliveries: readonly Delivery[]) => void;
  /** An exchange with the endpoint is over, so there may be capacity for more of its deliveries. */
  readonly onCapacity: (endpointId: string) => void;
  readonly rates: HostRates;
  readonly attemptTimeoutMs: number;
  readonly emailTimeoutMs: number;
}

const overdueCheckIntervalMs = 250;
/** How often queues that wait for the rate of their host are checked. */
const rateCheckIntervalMs = 100;
/** The health of an endpoint that was not used for this long is forgotten. */
const forgetAfterMs = 10 * minuteMs;

/**
 * Decides whose delivery goes out next: the most urgent priority first (priority.rules.ts), the endpoints of a group take
 * turns, and no group takes the slots of another (capacity.rules.ts says why and how many). It knows nothing of HTTP or
 * the database.
 *
 * Without turns the endpoint that is first in line takes all sixteen requests that it may have before the next one gets any: what is behind
 * eight such begins after 129 requests have ended instead of nine (delivery-scheduler.test.ts).
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
  readonly #limited = new LimitedQueues();
  readonly #mail = new MailCircuit();
  readonly #timers: NodeJS.Timeout[];
  #overdue = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: DeliverySchedulerOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#findOverdue(), overdueCheckIntervalMs).unref(),
      setInterval(() => this.#resumeLimited(), rateCheckIntervalMs).unref(),
      setInterval(() => this.#forgetUnused(), forgetAfterMs).unref(),
    ];
  }

  groupOf(endpointId: string): Group {
    return this.#queues.get(endpointId)?.group ?? 'new';
  }

  /** How many more deliveries of the priority the endpoint's queue takes. */
  freeCapacityOf(endpointId: string, priority: Priority): number {
    const queue = this.#queues.get(endpointId);
    if (queue === undefined) return roomFor(capacityOf(unknownHealth), noCounts(), priority);
    const room = roomFor(capacityOfQueue(queue), waitingAndInFlight(queue), priority);
    return queue.rate === null ? room : Math.min(room, queue.rate.roomFor(priority));
  }

  /** The bound that the endpoint shares with others; null without one, or while nothing is known of the endpoint. */
  hostRateOf(endpointId: string): HostRate | null {
    return this.#queues.get(endpointId)?.rate ?? null;
  }

  /** What the endpoint's deliveries that are due wait for; undefined when they merely wait for a slot. */
  waitReasonOf(endpointId: string): WaitReason | undefined {
    const queue = this.#queues.get(endpointId);
    if (queue?.group === 'email') return this.#mail.isOpen ? 'mail_server' : undefined;
    return queue?.rate?.isUsedUp() === true ? 'host_rate' : undefined;
  }

  /** Whether at least half of what the endpoint may hold of the priority is free, so that a claim is worth its statement. */
  isHalfFree(endpointId: string, priority: Priority): boolean {
    const queue = this.#queues.get(endpointId);
    return (
      queue === undefined || this.freeCapacityOf(endpointId, priority) >= countOf(waitingAndInFlight(queue), priority)
    );
  }

  /** How many more deliveries of the priority may wait for endpoints of the group, and how many at most. */
  freeCapacityOfGroup(group: Group, priority: Priority): { free: number; max: number } {
    const { waiting, meanMs, slotsTaken } = this.#groups[group];
    if (group === 'email' && this.#mail.isOpen)
      return { free: this.#mail.mayProbe && waiting[0] + slotsTaken[0] === 0 ? 1 : 0, max: 1 };
    const free = roomFor(waitingMaxOf(group, meanMs), waiting, priority);
    return { free, max: free + countOf(waiting, priority) };
  }

  add(destination: Destination, deliveries: readonly Delivery[]): void {
    const queue = this.#queues.get(destination.endpointId) ?? newQueue(destination);
    this.#queues.set(destination.endpointId, queue);
    if (destination.version > queue.destination.version) queue.destination = destination;
    const [first] = deliveries;
    if (first !== undefined) this.#setRate(queue, this.#options.rates.of(first.accountId, queue.destination.url));
    const excess: Delivery[] = [];
    for (const delivery of deliveries) {
      if (!this.#mayWait(queue, delivery.priority)) {
        excess.push(delivery);
        continue;
      }
      queue.byPriority[delivery.priority].push(delivery);
      this.#countWaiting(queue, delivery.priority, 1);
    }
    if (excess.length > 0) this.#options.release(destination.endpointId, excess);
    if (queue.stalled) this.#releaseWaiting(queue);
    this.#requeue(queue);
    this.#startRequests();
  }

  /** More came than there is capacity for: this process did not know the endpoint's queue, or the mail server became unreachable. */
  #mayWait(queue: EndpointQueue, priority: Priority): boolean {
    if (queue.group === 'email') return !this.#mail.isOpen || this.freeCapacityOfGroup('email', priority).free > 0;
    return queue.rate === null || queue.rate.roomFor(priority) > 0;
  }

  /** The endpoint may have another host now, and a bound that was not used is forgotten. */
  #setRate(queue: EndpointQueue, rate: HostRate | null): void {
    if (rate === queue.rate) return;
    for (const priority of priorityOrder) {
      const waiting = queue.byPriority[priority].length;
      queue.rate?.addWaiting(priority, -waiting);
      rate?.addWaiting(priority, waiting);
    }
    this.#limited.leave(queue);
    queue.rate = rate;
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
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await within(limitMs, idle, () => undefined);
  }

  /** Moves the queue to the group it belongs to now, and to the end of that group's queue if it may start a request. */
  #requeue(queue: EndpointQueue): void {
    queue.readySet?.delete(queue);
    this.#limited.leave(queue);
    const group = groupOfQueue(queue);
    if (group !== queue.group) {
      moveCounts(queue.waiting, this.#groups[queue.group].waiting, this.#groups[group].waiting);
      queue.group = group;
    }
    const next = nextPriorityOf(queue);
    const isLimited = next !== undefined && this.#limited.keep(queue);
    queue.readySet = next === undefined || isLimited ? undefined : this.#groups[group].ready[next];
    queue.readySet?.add(queue);
  }

  #resumeLimited(): void {
    const allowed = this.#limited.takeAllowed();
    for (const queue of allowed) this.#requeue(queue);
    if (allowed.length > 0) this.#startRequests();
  }

  #startRequests(): void {
    for (const group of groups)
      for (const priority of priorityOrder)
        for (const queue of this.#groups[group].ready[priority]) {
          this.#startStarved(group, priority);
          if (!this.#hasSlot(group, priority)) break;
          if (queue.rate?.available() === 0) {
            // Another queue of the host has used it up.
            this.#requeue(queue);
            continue;
          }
          // The queue goes to the end of the set, where this very loop meets it again.
          this.#start(queue, priority);
        }
  }

  /** Starts a request of a less urgent priority that was skipped for long. */
  #startStarved(group: Group, by: Priority): void {
    const { skipped, ready } = this.#groups[group];
    for (const priority of priorityOrder) {
      if (priority <= by || !isStarved(skipped[priority]) || !this.#hasSlot(group, priority)) continue;
      const [queue] = ready[priority];
      if (queue?.rate?.available() === 0) this.#requeue(queue);
      else if (queue !== undefined) this.#start(queue, priority);
    }
  }

  #hasSlot(group: Group, priority: Priority): boolean {
    if (group === 'email' && this.#mail.isOpen && !(this.#mail.mayProbe && this.#groups.email.slotsTaken[0] === 0))
      return false;
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
      queue.rate?.take();
      void this.#options.send(delivery, queue.destination).then((result) => this.#finish(request, result));
    }
    this.#requeue(queue);
    const { skipped, ready } = this.#groups[group];
    skipped[priority] = queue.skipped[priority] = 0;
    for (let other = priority + 1; other < priorityOrder.length; other += 1) {
      if (queue.byPriority[other as Priority].length > 0) queue.skipped[other as Priority] += 1;
      if (ready[other as Priority].size > 0) skipped[other as Priority] += 1;
    }
  }

  /** The most urgent, unless a less urgent one was skipped for long. */
  #priorityToStart(queue: EndpointQueue, mostUrgent: Priority): Priority {
    for (const priority of priorityOrder) {
      if (priority <= mostUrgent || !isStarved(queue.skipped[priority])) continue;
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
    const durationMs = performance.now() - request.startedMs;
    this.#requests.delete(request);
    addTo(queue.inFlight, priority, -1);
    if (request.slot === null) {
      this.#overdue -= 1;
      queue.overdue -= 1;
    } else addTo(this.#groups[request.slot].slotsTaken, priority, -1);
    const wasOpen = queue.group === 'breaker-open';
    this.#learn(queue, result, durationMs);
    this.#requeue(queue);
    const state = this.#groups[queue.group];
    state.meanMs = state.meanMs * 0.9 + durationMs * 0.1;
    if (queue.group === 'breaker-open' && !wasOpen) this.#releaseWaiting(queue);
    if (queue.group === 'email') this.#judgeMailServer(result);
    this.#startRequests();
    this.#options.onCapacity(queue.destination.endpointId);
    if (this.#closed && this.#requests.size === 0) this.#onIdle?.();
  }

  #learn(queue: EndpointQueue, result: SendResult, durationMs: number): void {
    queue.usedAtMs = performance.now();
    if (queue.overdue === 0) queue.stalled = false;
    // Where no request was made, nothing is known of the receiver.
    if (result === 'unsent' && queue.group !== 'email') return;
    const failed = result === 'failed' || result === 'away';
    if (!failed) {
      queue.succeededAtMs = queue.usedAtMs;
      queue.stalled = false;
    }
    queue.health = healthAfter(queue.health, durationMs, failed);
  }

  #judgeMailServer(result: SendResult): void {
    if (result === 'ok') this.#mail.close();
    if (result !== 'away' && !(result === 'failed' && this.#mail.isOpen)) return;
    this.#mail.open();
    for (const queue of this.#queues.values()) if (queue.group === 'email') this.#releaseWaiting(queue);
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
    queue.rate?.addWaiting(priority, count);
  }

  #forgetUnused(): void {
    const beforeMs = performance.now() - forgetAfterMs;
    for (const [id, queue] of this.#queues)
      if (waitingAndInFlight(queue)[0] === 0 && queue.usedAtMs < beforeMs) this.#queues.delete(id);
    this.#options.rates.forgetUnused();
  }
}

function moveCounts(counts: Counts, from: Counts, to: Counts): void {
  for (const priority of priorityOrder) {
    from[priority] -= counts[priority];
    to[priority] += counts[priority];
  }
}
