import { randomRuns, timeoutMs, volume } from '@app/testing/long';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  groups,
  type Health,
  healthAfter,
  overdueAfterMs,
  overdueMax,
  slotsOf,
  slotsOfGroup,
  unknownHealth,
} from './capacity.rules.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import { DeliveryScheduler, type SendResult } from './delivery-scheduler.ts';
import { HostRates } from './host-rates.ts';
import { addTo, hasShare, noCounts, type Priority, priorityOrder } from './priority.rules.ts';

vi.setConfig({ testTimeout: timeoutMs(30_000) });
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const attemptTimeoutMs = 15_000;
const emailTimeoutMs = 30_000;
const leaseMs = 60_000;
/** How much later than its limit the scheduler notices an overdue request. */
const overdueCheckMs = 250;

interface InFlight {
  readonly endpointId: string;
  readonly priority: Priority;
  readonly startedMs: number;
  readonly finish: (result: SendResult) => void;
}

/**
 * A scheduler whose requests stay in flight until the test finishes them, and a model of what it may do. Every request
 * and release is checked against the model at the moment it happens.
 */
class Rig {
  readonly scheduler: DeliveryScheduler;
  readonly inFlight: InFlight[] = [];
  readonly waiting = new Set<string>();
  readonly sent: Delivery[] = [];
  readonly released: Delivery[] = [];
  readonly announced: string[] = [];
  readonly violations: string[] = [];
  readonly #health = new Map<string, Health>();
  readonly #succeededAtMs = new Map<string, number>();
  readonly #versions = new Map<string, number>();
  #added = 0;
  closed = false;

  constructor(webhooksPerSecond = 0) {
    this.scheduler = new DeliveryScheduler({
      ...{ attemptTimeoutMs, emailTimeoutMs, rates: new HostRates(webhooksPerSecond) },
      send: (delivery, destination) => this.#send(delivery, destination),
      release: (_, deliveries) => this.takeOut(deliveries),
      onCapacity: (endpointId) => this.announced.push(endpointId),
    });
  }

  add(
    endpointId: string,
    count: number,
    { version = 1, leaseEndsInMs = leaseMs, priority = 0 as Priority } = {},
  ): void {
    this.#versions.set(endpointId, Math.max(version, this.#versions.get(endpointId) ?? 0));
    const deliveries = Array.from({ length: count }, () => this.#newDelivery(endpointId, priority, leaseEndsInMs));
    for (const { id } of deliveries) this.waiting.add(id);
    const address = { channel: 'http', url: 'https://example.com/', secret: '' } as const;
    const destination = { endpointId, version, ...address, previous: null, headers: null };
    this.scheduler.add(destination, deliveries);
  }

  /** The endpoint was changed: its deliveries leave the scheduler. */
  change(endpointId: string): void {
    this.takeOut(this.scheduler.takeWaiting(endpointId));
  }

  takeOut(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.#leave(delivery);
    this.released.push(...deliveries);
  }

  async finish(request: InFlight, failed = false): Promise<void> {
    const nowMs = performance.now();
    const { endpointId, startedMs } = request;
    this.inFlight.splice(this.inFlight.indexOf(request), 1);
    this.#health.set(endpointId, healthAfter(this.healthOf(endpointId), nowMs - startedMs, failed));
    if (!failed) this.#succeededAtMs.set(endpointId, nowMs);
    request.finish(failed ? 'failed' : 'ok');
    await null;
  }

  async stop(): Promise<void> {
    const stopped = this.scheduler.close(0);
    vi.advanceTimersByTime(0);
    await stopped;
  }

  healthOf(endpointId: string): Health {
    return this.#health.get(endpointId) ?? unknownHealth;
  }

  inFlightTo(endpointId: string): InFlight[] {
    return this.inFlight.filter((request) => request.endpointId === endpointId);
  }

  #newDelivery(endpointId: string, priority: Priority, leaseEndsInMs: number): Delivery {
    this.#added += 1;
    return {
      id: `${endpointId} ${this.#added}`,
      priority,
      ...{ accountId: 'acc', eventId: 'evt', eventName: 'order.paid', body: '', test: false, traceparent: null },
      ...{
        attemptNumber: 1,
        attemptsBeforeSchedule: 0,
        leaseToken: '',
        leaseEndsMs: performance.now() + leaseEndsInMs,
      },
    };
  }

  #leave({ id }: Delivery): void {
    if (!this.waiting.delete(id)) this.violations.push(`${id} left the scheduler twice`);
  }

  #send(delivery: Delivery, { endpointId, version }: Destination): Promise<SendResult> {
    this.#leave(delivery);
    this.sent.push(delivery);
    const nowMs = performance.now();
    const violation = (text: string) => this.violations.push(`${delivery.id}: ${text}`);
    if (this.closed) violation('sent after the scheduler was closed');
    if (delivery.leaseEndsMs <= nowMs + attemptTimeoutMs) violation('sent on a lease that may end before the attempt');
    if (version !== this.#versions.get(endpointId)) violation('sent to an old version of the endpoint');
    const before = this.inFlightTo(endpointId);
    const counts = noCounts();
    for (const request of before) addTo(counts, request.priority, 1);
    if (!hasShare(slotsOf(this.healthOf(endpointId)), counts, delivery.priority))
      violation(`${counts} were in flight already`);
    const overdueMs = overdueAfterMs(this.healthOf(endpointId)) + overdueCheckMs;
    const hangs = ({ startedMs }: InFlight) =>
      nowMs - startedMs > overdueMs && (this.#succeededAtMs.get(endpointId) ?? -1) <= startedMs;
    if (before.some(hangs)) violation('sent to an endpoint that hangs');
    const { priority } = delivery;
    return new Promise((resolve) => this.inFlight.push({ endpointId, priority, startedMs: nowMs, finish: resolve }));
  }
}

const finishAll = async (rig: Rig, failed = false): Promise<void> => {
  for (let [request] = rig.inFlight; request !== undefined; [request] = rig.inFlight) await rig.finish(request, failed);
};
/** What an endpoint does with its requests; null: it never answers. */
type LatencyOf = (endpointId: string) => number | null;

const stepMs = 50;
/** Lets receivers respond for a while, in steps. A request that reaches the time limit fails. */
async function simulate(rig: Rig, forMs: number, latencyOf: LatencyOf, observe = () => {}): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += stepMs) {
    vi.advanceTimersByTime(stepMs);
    const nowMs = performance.now();
    for (const request of [...rig.inFlight]) {
      const latencyMs = latencyOf(request.endpointId) ?? attemptTimeoutMs;
      if (nowMs - request.startedMs >= latencyMs) await rig.finish(request, latencyMs >= attemptTimeoutMs);
    }
    observe();
  }
}

const endpoint = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      add: endpoint,
      count: fc.integer({ min: 1, max: 20 }),
      stale: fc.boolean(),
      priority: fc.constantFrom(...priorityOrder),
    }),
  },
  { weight: 1, arbitrary: fc.record({ addShortLease: endpoint, leaseEndsInMs: fc.nat(attemptTimeoutMs + 3_000) }) },
  { weight: 6, arbitrary: fc.record({ finish: fc.nat(), failed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ waitMs: fc.oneof(fc.nat(300), fc.nat(4_000)) }) },
  { weight: 1, arbitrary: fc.record({ change: endpoint }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Makes the steps in their order. Each change of an endpoint counts up its version. */
async function makeSteps(rig: Rig, steps: readonly Step[]): Promise<void> {
  const versions = { a: 1, b: 1, c: 1 };
  for (const next of steps) {
    if ('add' in next) {
      const version = Math.max(1, versions[next.add] - Number(next.stale));
      rig.add(next.add, next.count, { version, priority: next.priority });
    }
    if ('addShortLease' in next) {
      const { addShortLease: endpointId, leaseEndsInMs } = next;
      rig.add(endpointId, 2, { version: versions[endpointId], leaseEndsInMs });
    }
    if ('waitMs' in next) vi.advanceTimersByTime(next.waitMs);
    if ('change' in next) {
      versions[next.change] += 1;
      rig.change(next.change);
    }
    if ('finish' in next) await finishOne(rig, next.finish, next.failed);
  }
}

async function finishOne(rig: Rig, index: number, failed: boolean): Promise<void> {
  const request = rig.inFlight[index % rig.inFlight.length];
  if (request !== undefined) await rig.finish(request, failed);
}

test('whatever happens, each delivery is sent or released once, in time, and an endpoint never gets more than it may', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), fc.boolean(), async (steps, failed) => {
      const rig = new Rig();
      await makeSteps(rig, steps);
      await finishAll(rig, failed);
      expect(rig.violations).toEqual([]);
      expect([...rig.waiting]).toEqual([]);
      for (const group of groups)
        for (const priority of priorityOrder) {
          const { free, max } = rig.scheduler.freeCapacityOfGroup(group, priority);
          expect({ group, priority, free }).toEqual({ group, priority, free: max });
        }
      // Every slot is free again: as many new endpoints get a request as the group has slots.
      const sentBefore = rig.sent.length;
      for (let n = 0; n < 2 * slotsOfGroup.new; n += 1) rig.add(`new ${n}`, 1);
      expect(rig.sent.length - sentBefore).toBe(slotsOfGroup.new);
      await rig.stop();
    }),
    randomRuns(50, 5_000),
  );
});

test('a closed scheduler starts nothing, waits for requests in flight, and releases all others', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, finishes, takesFirst) => {
        const rig = new Rig();
        await makeSteps(rig, steps);
        if (takesFirst) rig.takeOut(rig.scheduler.takeWaiting());
        const stillInFlight = rig.inFlight.length;
        rig.closed = true;
        let isClosed = false;
        const closing = rig.scheduler.close(5_000).then(() => {
          isClosed = true;
        });
        await null;
        if (finishes) await finishAll(rig);
        for (let n = 0; n < 5; n += 1) await null;
        expect(isClosed).toBe(finishes || stillInFlight === 0);
        vi.advanceTimersByTime(5_000);
        await closing;
        rig.takeOut(rig.scheduler.takeWaiting());
        expect(rig.violations).toEqual([]);
        expect([...rig.waiting]).toEqual([]);
        expect(vi.getTimerCount()).toBe(0);
      },
    ),
    randomRuns(50, 5_000),
  );
});

test('an endpoint’s deliveries start oldest first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 10 }), async (counts) => {
      const rig = new Rig();
      for (const count of counts) {
        rig.add('a', count);
        for (const request of [...rig.inFlight]) await rig.finish(request);
      }
      await finishAll(rig);
      const numbers = rig.sent.map(({ id }) => Number(id.split(' ')[1]));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      await rig.stop();
    }),
    randomRuns(50, 5_000),
  );
});

test('requests in flight never exceed the slots of all groups', async () => {
  const latency = fc.oneof(fc.constant(null), fc.integer({ min: 10, max: 3_000 }));
  const receivers = fc.array(latency, { minLength: 450, maxLength: 600, size: 'max' });
  const slots = groups.reduce((sum, group) => sum + slotsOfGroup[group], 0);
  await fc.assert(
    fc.asyncProperty(receivers, async (latencies) => {
      const rig = new Rig();
      const latencyOf: LatencyOf = (endpointId) => latencies[Number(endpointId)] ?? null;
      let most = 0;
      const observe = () => {
        // No limit is shorter than a second, so a younger request cannot be overdue.
        const nowMs = performance.now();
        most = Math.max(most, rig.inFlight.filter(({ startedMs }) => nowMs - startedMs < 1_000).length);
      };
      for (const index of latencies.keys()) rig.add(String(index), 16);
      observe();
      await simulate(rig, 10_000, latencyOf, observe);
      expect(rig.violations).toEqual([]);
      expect(most).toBeGreaterThan(slotsOfGroup.new / 2);
      expect(most).toBeLessThanOrEqual(slots);
      await rig.stop();
    }),
    randomRuns(5, 100),
  );
});

test('endpoints that never answer keep a bounded number of connections, however many they are', async () => {
  const rig = new Rig();
  for (let n = 0; n < 2_000; n += 1) rig.add(String(n), 4);
  let most = 0;
  for (let passedMs = 0; passedMs < 60_000; passedMs += overdueCheckMs) {
    vi.advanceTimersByTime(overdueCheckMs);
    most = Math.max(most, rig.inFlight.length);
  }
  expect(rig.violations).toEqual([]);
  expect(most).toBeGreaterThanOrEqual(overdueMax);
  expect(most).toBeLessThan(overdueMax + slotsOfGroup.new + slotsOfGroup['breaker-open']);
  // When their requests have ended, none of them counts any more.
  await finishAll(rig, true);
  for (let n = 0; n < 2 * slotsOfGroup.new; n += 1) rig.add(`new ${n}`, 1);
  expect(rig.inFlight).toHaveLength(slotsOfGroup.new);
  await rig.stop();
});

test('an endpoint that hangs gets one request at a time, and all its slots again after a success', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5 }), async (count, rounds) => {
      const rig = new Rig();
      rig.add('a', count);
      const sentAtFirst = rig.sent.length;
      vi.advanceTimersByTime(2_000);
      // The waiting deliveries were released, and an endpoint that hangs takes no others.
      rig.add('a', 3);
      expect(rig.sent).toHaveLength(sentAtFirst);
      expect(rig.scheduler.freeCapacityOf('a', 0)).toBe(0);
      vi.advanceTimersByTime(attemptTimeoutMs);
      await finishAll(rig, true);
      for (let round = 0; round < rounds; round += 1) {
        rig.add('a', 3);
        expect(rig.inFlightTo('a')).toHaveLength(1);
        vi.advanceTimersByTime(attemptTimeoutMs);
        await finishAll(rig, true);
      }
      rig.add('a', 20);
      await finishOne(rig, 0, false);
      rig.add('a', 20);
      expect(rig.inFlightTo('a')).toHaveLength(16);
      expect(rig.violations).toEqual([]);
      await rig.stop();
    }),
    randomRuns(50, 5_000),
  );
});

test('endpoints that hang delay an endpoint that works by no more than the time that they may keep slots', async () => {
  const hangingMax = 40;
  const latency = fc.constantFrom(20, 200, 900, 1_500);
  const shape = fc.record({
    latencyMs: latency,
    count: fc.integer({ min: 1, max: 100 }),
    hanging: fc.nat(hangingMax),
    /** Whether they answered once before they hung: then they share the group of the one that works. */
    workedBefore: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ latencyMs, count, hanging, workedBefore }) => {
      const rig = new Rig();
      const names = Array.from({ length: hanging }, (_, n) => `hanging ${n}`);
      let isHanging = false;
      const latencyOf: LatencyOf = (id) => (id === 'works' || !isHanging ? latencyMs : null);
      rig.add('works', 1);
      if (workedBefore) for (const name of names) rig.add(name, 1);
      await simulate(rig, 4_000, latencyOf);
      isHanging = true;
      for (const name of names) rig.add(name, 100);
      const startedMs = performance.now();
      rig.add('works', count);
      const sentTo = () => rig.sent.filter(({ id }) => id.startsWith('works')).length;
      while (sentTo() <= count && performance.now() - startedMs < 120_000) await simulate(rig, stepMs, latencyOf);
      // Alone it has 16 requests in flight. Each hanging endpoint keeps at most 16 slots of the group, once.
      const measuredMs = Math.ceil(latencyMs / stepMs) * stepMs;
      const aloneMs = Math.ceil(count / 16) * measuredMs;
      const keptMs = Math.max(1_000, latencyMs > 1_000 ? 2 * measuredMs : 0) + overdueCheckMs;
      const roundsOfOthers = workedBefore ? Math.ceil((16 * hanging) / slotsOfGroup.quick) : 0;
      expect(performance.now() - startedMs).toBeLessThanOrEqual(aloneMs + stepMs + roundsOfOthers * keptMs);
      expect(rig.released.filter(({ id }) => id.startsWith('works'))).toEqual([]);
      expect(rig.violations).toEqual([]);
      await rig.stop();
    }),
    randomRuns(40, 800),
  );
});

test('endpoints of a group take turns: a long queue does not delay a short one', async () => {
  const rig = new Rig();
  const long = Array.from({ length: 16 }, (_, n) => `long ${n}`);
  for (const name of [...long, 'short']) rig.add(name, 1);
  await finishAll(rig);
  for (const name of long) rig.add(name, 200);
  expect(rig.inFlight).toHaveLength(slotsOfGroup.quick);
  rig.add('short', 1);
  // The first eight fill all slots with 16 requests each. The other eight and the short one wait for the next nine slots.
  for (let n = 0; n < 9; n += 1) await finishOne(rig, 0, false);
  expect(rig.inFlightTo('short')).toHaveLength(1);
  await rig.stop();
});

test('a request that ends says for which endpoint there may be capacity', async () => {
  const rig = new Rig();
  rig.add('a', 16);
  expect(rig.scheduler.freeCapacityOf('a', 0)).toBe(0);
  expect(rig.scheduler.isHalfFree('a', 0)).toBe(false);
  const [request] = rig.inFlight as [InFlight];
  await rig.finish(request);
  expect(rig.announced).toEqual(['a']);
  expect(rig.scheduler.freeCapacityOf('a', 0)).toBe(256 - 15);
  expect(rig.scheduler.isHalfFree('a', 0)).toBe(true);
  await rig.stop();
});

test('the health of an endpoint is forgotten when it was not used for ten minutes, and never while it is used', async () => {
  const rig = new Rig();
  for (const name of ['unused', 'used']) rig.add(name, 1);
  await rig.finish(rig.inFlightTo('unused')[0] as InFlight);
  expect(rig.scheduler.groupOf('unused')).toBe('quick');
  vi.advanceTimersByTime(21 * 60_000);
  expect(rig.scheduler.groupOf('unused')).toBe('new');
  expect(rig.scheduler.groupOf('used')).toBe('breaker-open');
  await rig.stop();
});

/** An endpoint in the group `quick`. */
async function addQuick(rig: Rig, name: string): Promise<void> {
  rig.add(name, 1);
  for (const request of rig.inFlightTo(name)) await rig.finish(request);
}
const countInFlight = (rig: Rig, priority: Priority) =>
  rig.inFlight.filter((request) => request.priority === priority).length;

test('a new delivery of money starts at once, however many recoveries and tests wait, in flight and in memory', async () => {
  const rig = new Rig();
  const names = Array.from({ length: 40 }, (_, n) => `flooded ${n}`);
  for (const name of [...names, 'other']) await addQuick(rig, name);
  for (const priority of [2, 1] as const) for (const name of names) rig.add(name, 50, { priority });
  expect([countInFlight(rig, 2), countInFlight(rig, 1)]).toEqual([32, 32]);
  for (const name of names) expect(rig.inFlightTo(name).length).toBeLessThanOrEqual(8);
  for (const name of ['other', ...names]) {
    expect(rig.scheduler.freeCapacityOf(name, 0)).toBeGreaterThanOrEqual(100);
    rig.add(name, 1);
    expect(rig.inFlightTo(name).filter(({ priority }) => priority === 0)).toHaveLength(1);
  }
  expect(rig.violations).toEqual([]);
  await rig.stop();
});

test('what waits goes out by priority, and in each priority oldest first', async () => {
  const rig = new Rig();
  await addQuick(rig, 'a');
  rig.add('a', 16);
  for (const priority of [2, 1, 0] as const) rig.add('a', 10, { priority });
  const before = rig.sent.length;
  await finishAll(rig);
  const sent = rig.sent.slice(before);
  expect(sent.map(({ priority }) => priority)).toEqual(priorityOrder.flatMap((priority) => Array(10).fill(priority)));
  for (const priority of priorityOrder) {
    const numbers = sent.filter((delivery) => delivery.priority === priority).map(({ id }) => Number(id.slice(2)));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
  await rig.stop();
});

const numbered = (name: string) => Array.from({ length: 20 }, (_, n) => `${name} ${n}`);
test.each([
  ['of one endpoint', [['a'], ['a'], ['a']]],
  ['of endpoints of a group', [numbered('money'), numbered('automation'), numbered('recovery')]],
] as const)('while more money events wait than can be sent, the others still get a part: %s', async (_, names) => {
  const rig = new Rig();
  for (const name of new Set(names.flat())) await addQuick(rig, name);
  for (const priority of priorityOrder)
    for (const name of names[priority]) rig.add(name, volume(1_500, 5_000), { priority });
  const sentBefore = rig.sent.length;
  for (let n = 0; n < volume(600, 2_000); n += 1) await finishOne(rig, 0, false);
  const sent = rig.sent.slice(sentBefore);
  for (const priority of [1, 2]) {
    const part = sent.filter((delivery) => delivery.priority === priority).length / sent.length;
    expect(part).toBeGreaterThan(1 / 40);
    expect(part).toBeLessThan(1 / 15);
  }
  expect(rig.violations).toEqual([]);
  await rig.stop();
});

test('the one request to an endpoint that fails is of the most urgent priority that waits', async () => {
  const rig = new Rig();
  await addQuick(rig, 'a');
  for (let n = 0; n < 5; n += 1) {
    rig.add('a', 1);
    await finishOne(rig, 0, true);
  }
  expect(rig.scheduler.groupOf('a')).toBe('breaker-open');
  rig.add('a', 1);
  for (const priority of priorityOrder) expect(rig.scheduler.freeCapacityOf('a', priority)).toBe(0);
  await rig.stop();
});

test('endpoints of one host share its rate: no more goes out, what may not wait is released, and all that is kept is sent', async () => {
  const rig = new Rig(10);
  for (const endpointId of ['a', 'b', 'c', 'd']) rig.add(endpointId, 40);
  // Five seconds of the rate at once, and one second of it in memory.
  expect(rig.released).toHaveLength(100);
  const startedMs = performance.now();
  await simulate(
    rig,
    4_000,
    () => 50,
    () => {
      expect(rig.sent.length).toBeLessThanOrEqual(50 + ((performance.now() - startedMs) / 1_000) * 10);
    },
  );
  expect(rig.sent).toHaveLength(60);
  expect(rig.violations).toEqual([]);
  await rig.stop();
});

test('when a used-up rate allows requests again, the most urgent deliveries of all its endpoints go first', async () => {
  const rig = new Rig(10);
  rig.add('a', 60);
  await simulate(rig, 900, () => 50);
  const before = rig.sent.length;
  for (const endpointId of ['b', 'c']) rig.add(endpointId, 2, { priority: 1 });
  rig.add('d', 3, { priority: 0 });
  await simulate(rig, 3_000, () => 50);
  const sent = rig.sent.slice(before).map(({ priority }) => priority);
  expect(sent).toEqual(sent.toSorted());
  expect(rig.violations).toEqual([]);
  await rig.stop();
});
