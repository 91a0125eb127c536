import type { Delivery, Destination } from './delivery.types.ts';
import { capacityOf, type Pace, paceAfter, quickSlots, slotsOf, slowAfterMs, slowSlots } from './lane.rules.ts';

/** One endpoint's deliveries in this process, oldest first. */
interface Lane {
  destination: Destination;
  readonly waiting: Delivery[];
  flying: number;
  /** Of those, the ones that turned out to take longer than a second. */
  hanging: number;
  pace: Pace | undefined;
  /** More is due in the database than fits here: what is new queues up behind it there. */
  backlog: boolean;
  usedAtMs: number;
}

type Group = 'quick' | 'slow';

interface Flight {
  readonly lane: Lane;
  readonly startedMs: number;
  group: Group;
  hanging: boolean;
}

export interface LanesOptions {
  /** One exchange with the receiver; resolves to whether it failed, never rejects. */
  readonly send: (delivery: Delivery, destination: Destination) => Promise<boolean>;
  /** Deliveries whose lease could end before their attempt: they are taken anew later. */
  readonly giveBack: (deliveries: readonly Delivery[]) => void;
  /** A lane with a backlog in the database has room again. */
  readonly hasRoom: () => void;
  readonly attemptTimeoutMs: number;
}

const tickMs = 250;
/** What is known of an endpoint's pace is forgotten when it has not been used for this long. */
const forgetAfterMs = 10 * 60_000;

/**
 * Decides whose delivery goes out next: endpoints take turns, and what is slow never holds up what is quick (how:
 * lane.rules.ts). Knows nothing of HTTP or the database.
 */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #slots: Record<Group, number> = { quick: quickSlots, slow: slowSlots };
  readonly #flying: Record<Group, number> = { quick: 0, slow: 0 };
  /** Lanes that could start a request, in the order of their turns. */
  readonly #turns: Record<Group, Set<Lane>> = { quick: new Set(), slow: new Set() };
  /** Requests in quick slots, oldest first. */
  readonly #young = new Set<Flight>();
  readonly #timers: NodeJS.Timeout[];
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#moveHanging(), tickMs).unref(),
      setInterval(() => this.#forgetUnused(), forgetAfterMs).unref(),
    ];
  }

  /** How many more deliveries of the endpoint fit in here. */
  room(endpointId: string): number {
    const lane = this.#lanes.get(endpointId);
    return lane === undefined ? capacityOf(undefined) : roomOf(lane);
  }

  hasBacklog(endpointId: string): boolean {
    return this.#lanes.get(endpointId)?.backlog ?? false;
  }

  setBacklog(endpointId: string, backlog: boolean): void {
    const lane = this.#lanes.get(endpointId);
    if (lane !== undefined) lane.backlog = backlog;
  }

  /** Endpoints with a backlog and at least half of their capacity free. */
  withRoom(): string[] {
    return [...this.#lanes].filter(([, lane]) => lane.backlog && isHalfFree(lane)).map(([id]) => id);
  }

  add(destination: Destination, deliveries: readonly Delivery[]): void {
    const lane = this.#lanes.get(destination.endpointId) ?? newLane(destination);
    this.#lanes.set(destination.endpointId, lane);
    if (destination.version > lane.destination.version) lane.destination = destination;
    for (const delivery of deliveries) lane.waiting.push(delivery);
    this.#queueUp(lane);
    this.#startDue();
  }

  /** Takes out what has not started, of one endpoint or of all. */
  empty(endpointId?: string): Delivery[] {
    const chosen = endpointId === undefined ? [...this.#lanes.values()] : [this.#lanes.get(endpointId)];
    return chosen.flatMap((lane) => {
      if (lane === undefined) return [];
      const taken = lane.waiting.splice(0);
      this.#queueUp(lane);
      return taken;
    });
  }

  /** Starts nothing any more; resolves when nothing is under way, at the latest after the limit. */
  async close(limitMs: number): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#flying.quick + this.#flying.slow === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
  }

  /** Gives the lane its place in line, when there is something it may start. */
  #queueUp(lane: Lane): void {
    this.#turns.quick.delete(lane);
    this.#turns.slow.delete(lane);
    if (lane.waiting.length > 0 && lane.flying < slotsOf(lane.pace)) this.#turns[groupOf(lane)].add(lane);
  }

  #startDue(): void {
    for (const group of ['quick', 'slow'] as const) {
      for (const lane of this.#turns[group]) {
        if (this.#closed || this.#flying[group] >= this.#slots[group]) break;
        this.#start(lane, group);
        // Last in line again, where this very loop meets it next.
        this.#queueUp(lane);
      }
    }
  }

  #start(lane: Lane, group: Group): void {
    const delivery = this.#takeFresh(lane);
    if (delivery === undefined) return;
    const flight: Flight = { lane, group, hanging: false, startedMs: performance.now() };
    lane.flying += 1;
    this.#flying[group] += 1;
    if (group === 'quick') this.#young.add(flight);
    void this.#options.send(delivery, lane.destination).then((failed) => this.#land(flight, failed));
  }

  #takeFresh(lane: Lane): Delivery | undefined {
    const doneByMs = performance.now() + this.#options.attemptTimeoutMs;
    for (let next = lane.waiting.shift(); next !== undefined; next = lane.waiting.shift()) {
      if (next.leaseEndsMs > doneByMs) return next;
      lane.backlog = true;
      this.#options.giveBack([next]);
    }
    return undefined;
  }

  #land(flight: Flight, failed: boolean): void {
    const { lane } = flight;
    const nowMs = performance.now();
    this.#young.delete(flight);
    this.#flying[flight.group] -= 1;
    lane.flying -= 1;
    if (flight.hanging) lane.hanging -= 1;
    lane.usedAtMs = nowMs;
    lane.pace = paceAfter(lane.pace, nowMs - flight.startedMs, failed);
    this.#queueUp(lane);
    this.#startDue();
    if (lane.backlog && isHalfFree(lane)) this.#options.hasRoom();
    if (this.#closed && this.#flying.quick + this.#flying.slow === 0) this.#whenIdle?.();
  }

  /** Requests that turn out to hang give their quick slot back. */
  #moveHanging(): void {
    const oldestMs = performance.now() - slowAfterMs;
    for (const flight of this.#young) {
      if (flight.startedMs > oldestMs) break;
      this.#young.delete(flight);
      flight.group = 'slow';
      flight.hanging = true;
      flight.lane.hanging += 1;
      this.#flying.quick -= 1;
      this.#flying.slow += 1;
      this.#queueUp(flight.lane);
    }
    this.#startDue();
  }

  #forgetUnused(): void {
    const beforeMs = performance.now() - forgetAfterMs;
    for (const [id, lane] of this.#lanes) {
      if (lane.flying === 0 && lane.waiting.length === 0 && lane.usedAtMs < beforeMs) this.#lanes.delete(id);
    }
  }
}

const newLane = (destination: Destination): Lane => ({
  destination,
  waiting: [],
  flying: 0,
  hanging: 0,
  pace: undefined,
  backlog: false,
  usedAtMs: performance.now(),
});

const groupOf = (lane: Lane): Group =>
  lane.hanging > 0 || (lane.pace !== undefined && lane.pace.tookMs > slowAfterMs) ? 'slow' : 'quick';

const roomOf = (lane: Lane): number => Math.max(0, capacityOf(lane.pace) - lane.waiting.length - lane.flying);

const isHalfFree = (lane: Lane): boolean => roomOf(lane) * 2 >= capacityOf(lane.pace);
