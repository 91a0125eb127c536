import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';
import { type Group, groups } from './capacity.rules.ts';
import { type Priority, priorityOrder } from './priority.rules.ts';

const endpointMax = 100;
const fakeEndpoint = fc
  .integer({ min: 1, max: 256 })
  .chain((capacity) =>
    fc.record({ group: fc.constantFrom(...groups), capacity: fc.constant(capacity), free: fc.nat(capacity) }),
  );
const fakeGroup = fc
  .integer({ min: 4, max: 2_048 })
  .chain((max) => fc.record({ max: fc.constant(max), free: fc.nat(max) }));
const fakeGroups = fc.record({
  quick: fakeGroup,
  slow: fakeGroup,
  new: fakeGroup,
  'breaker-open': fakeGroup,
  email: fakeGroup,
});

type FakeEndpoint = { group: Group; capacity: number; free: number };
type FakeGroups = Record<Group, { max: number; free: number }>;

function backlogOver(endpoints: readonly FakeEndpoint[], capacityOfGroups: FakeGroups): Backlog {
  const of = (id: string) => endpoints[Number(id)] as FakeEndpoint;
  return new Backlog({
    groupOf: (id) => of(id).group,
    freeCapacityOf: (id) => of(id).free,
    hostRateOf: () => null,
    isHalfFree: (id) => of(id).free * 2 >= of(id).capacity,
    freeCapacityOfGroup: (group) => ({ ...capacityOfGroups[group] }),
  });
}
const claimOf = (endpointId: string, limit: number, priority: Priority = 0) => ({ endpointId, priority, limit });
const idsOf = (endpoints: readonly FakeEndpoint[]) => endpoints.map((_, index) => String(index));

test('a claim takes no more than 1,000, than is free for an endpoint and than is free in its group', () => {
  fc.assert(
    fc.property(fc.array(fakeEndpoint, { maxLength: endpointMax }), fakeGroups, (endpoints, capacityOfGroups) => {
      const backlog = backlogOver(endpoints, capacityOfGroups);
      for (const id of idsOf(endpoints)) backlog.add(id, 0);
      const limits = backlog.takeNextClaim().map(({ endpointId, limit }) => ({
        ...(endpoints[Number(endpointId)] as FakeEndpoint),
        limit,
      }));
      const sum = (part: typeof limits) => part.reduce((total, { limit }) => total + limit, 0);
      expect(sum(limits)).toBeLessThanOrEqual(1_000);
      for (const { limit, free, capacity } of limits) {
        expect(limit).toBeGreaterThan(0);
        expect(limit).toBeLessThanOrEqual(free);
        expect(free * 2).toBeGreaterThanOrEqual(capacity);
      }
      for (const group of groups) {
        const claimed = sum(limits.filter((entry) => entry.group === group));
        const { free, max } = capacityOfGroups[group];
        expect(claimed).toBeLessThanOrEqual(free >= max / 4 ? free : 0);
      }
    }),
    randomRuns(100, 5_000),
  );
});

test('one claim is bounded however much capacity there is', () => {
  const endpoints = Array.from(
    { length: 40 },
    (_, n): FakeEndpoint => ({ group: groups[n % 4] as Group, capacity: 256, free: 256 }),
  );
  const free = { max: 2_048, free: 2_048 };
  const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, 'breaker-open': free, email: free });
  for (const id of idsOf(endpoints)) backlog.add(id, 0);
  const claimed = backlog.takeNextClaim().reduce((sum, { limit }) => sum + limit, 0);
  expect(claimed).toBe(1_000);
  expect(idsOf(endpoints).some((id) => backlog.has(id, 0))).toBe(true);
});

test('an endpoint stays in the backlog until it is claimed, and everything is claimed in turns when there is capacity', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...groups), { maxLength: endpointMax }), (groupsOfEndpoints) => {
      const endpoints = groupsOfEndpoints.map((group) => ({ group, capacity: 16, free: 16 }));
      const free = { max: 64, free: 64 };
      const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, 'breaker-open': free, email: free });
      const ids = idsOf(endpoints);
      for (const id of ids) backlog.add(id, 0);
      const claimed: string[] = [];
      for (let claim = backlog.takeNextClaim(); claim.length > 0; claim = backlog.takeNextClaim()) {
        claimed.push(...claim.map(({ endpointId }) => endpointId));
        expect(ids.filter((id) => backlog.has(id, 0)).toSorted()).toEqual(
          ids.filter((id) => !claimed.includes(id)).toSorted(),
        );
      }
      expect(claimed.toSorted()).toEqual(ids.toSorted());
    }),
    randomRuns(100, 5_000),
  );
});

test('the capacity of a group is shared evenly, and an endpoint keeps its position in line', () => {
  const endpoints = Array.from({ length: 4 }, (): FakeEndpoint => ({ group: 'quick', capacity: 100, free: 100 }));
  const free = { max: 40, free: 40 };
  const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, 'breaker-open': free, email: free });
  for (const id of ['2', '0', '3', '1', '0', '2']) backlog.add(id, 0);
  expect(backlog.takeNextClaim()).toEqual(['2', '0', '3', '1'].map((id) => claimOf(id, 10)));
});

test('an endpoint whose queue is full is set aside until half of it is free', () => {
  const endpoint: FakeEndpoint = { group: 'quick', capacity: 16, free: 7 };
  const free = { max: 40, free: 40 };
  const backlog = backlogOver([endpoint], { quick: free, slow: free, new: free, 'breaker-open': free, email: free });
  backlog.add('0', 0);
  expect([backlog.has('0', 0), backlog.isClaimDue('0'), backlog.takeNextClaim().length]).toEqual([true, false, 0]);
  endpoint.free = 8;
  expect(backlog.isClaimDue('0')).toBe(true);
  expect(backlog.takeNextClaim()).toEqual([claimOf('0', 8)]);
  expect(backlog.has('0', 0)).toBe(false);
});

test('more urgent priorities are claimed first, and the others get what is left', () => {
  const endpoints = Array.from({ length: 2 }, (): FakeEndpoint => ({ group: 'quick', capacity: 100, free: 100 }));
  const free = { max: 150, free: 150 };
  const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, 'breaker-open': free, email: free });
  for (const priority of [2, 1, 0] as const) backlog.add('0', priority);
  backlog.add('1', 2);
  expect(backlog.takeNextClaim()).toEqual([claimOf('0', 100, 0), claimOf('1', 25, 2)]);
  // The first endpoint is full until these are sent; the other one was claimed.
  expect(priorityOrder.map((priority) => backlog.has('0', priority))).toEqual([false, true, true]);
  expect(priorityOrder.map((priority) => backlog.has('1', priority))).toEqual([false, false, false]);
});

test('a new delivery waits behind due ones of the same or a more urgent priority, and behind no others', () => {
  const endpoints: FakeEndpoint[] = [
    { group: 'quick', capacity: 16, free: 16 },
    { group: 'quick', capacity: 16, free: 0 },
  ];
  const free = { max: 40, free: 40 };
  for (const endpoint of ['0', '1'])
    for (const due of priorityOrder) {
      const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, 'breaker-open': free, email: free });
      backlog.add(endpoint, due);
      for (const priority of priorityOrder) expect(backlog.has(endpoint, priority)).toBe(due <= priority);
    }
});
