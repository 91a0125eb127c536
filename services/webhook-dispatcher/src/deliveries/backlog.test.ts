import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';
import { type Group, groups } from './capacity.rules.ts';

const endpointMax = 100;
const fakeEndpoint = fc
  .integer({ min: 1, max: 256 })
  .chain((capacity) =>
    fc.record({ group: fc.constantFrom(...groups), capacity: fc.constant(capacity), free: fc.nat(capacity) }),
  );
const fakeGroup = fc
  .integer({ min: 4, max: 2_048 })
  .chain((max) => fc.record({ max: fc.constant(max), free: fc.nat(max) }));
const fakeGroups = fc.record({ quick: fakeGroup, slow: fakeGroup, new: fakeGroup, failing: fakeGroup });

type FakeEndpoint = { group: Group; capacity: number; free: number };
type FakeGroups = Record<Group, { max: number; free: number }>;

function backlogOver(endpoints: readonly FakeEndpoint[], capacityOfGroups: FakeGroups): Backlog {
  const of = (id: string) => endpoints[Number(id)] as FakeEndpoint;
  return new Backlog({
    groupOf: (id) => of(id).group,
    freeCapacityOf: (id) => of(id).free,
    isHalfFree: (id) => of(id).free * 2 >= of(id).capacity,
    freeCapacityOfGroup: (group) => ({ ...capacityOfGroups[group] }),
  });
}
const idsOf = (endpoints: readonly FakeEndpoint[]) => endpoints.map((_, index) => String(index));

test('a claim takes no more than 1,000, than is free for an endpoint and than is free in its group', () => {
  fc.assert(
    fc.property(fc.array(fakeEndpoint, { maxLength: endpointMax }), fakeGroups, (endpoints, capacityOfGroups) => {
      const backlog = backlogOver(endpoints, capacityOfGroups);
      for (const id of idsOf(endpoints)) backlog.add(id);
      const limits = [...backlog.takeNextClaim()].map(([id, limit]) => ({
        ...(endpoints[Number(id)] as FakeEndpoint),
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
  );
});

test('one claim is bounded however much capacity there is', () => {
  const endpoints = Array.from(
    { length: 40 },
    (_, n): FakeEndpoint => ({ group: groups[n % 4] as Group, capacity: 256, free: 256 }),
  );
  const free = { max: 2_048, free: 2_048 };
  const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, failing: free });
  for (const id of idsOf(endpoints)) backlog.add(id);
  const claimed = [...backlog.takeNextClaim().values()].reduce((sum, limit) => sum + limit, 0);
  expect(claimed).toBe(1_000);
  expect(idsOf(endpoints).some((id) => backlog.has(id))).toBe(true);
});

test('an endpoint stays in the backlog until it is claimed, and everything is claimed in turns when there is capacity', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...groups), { maxLength: endpointMax }), (groupsOfEndpoints) => {
      const endpoints = groupsOfEndpoints.map((group) => ({ group, capacity: 16, free: 16 }));
      const free = { max: 64, free: 64 };
      const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, failing: free });
      const ids = idsOf(endpoints);
      for (const id of ids) backlog.add(id);
      const claimed: string[] = [];
      for (let claim = backlog.takeNextClaim(); claim.size > 0; claim = backlog.takeNextClaim()) {
        claimed.push(...claim.keys());
        expect(ids.filter((id) => backlog.has(id)).toSorted()).toEqual(
          ids.filter((id) => !claimed.includes(id)).toSorted(),
        );
      }
      expect(claimed.toSorted()).toEqual(ids.toSorted());
    }),
  );
});

test('the capacity of a group is shared evenly, and an endpoint keeps its place in line', () => {
  const endpoints = Array.from({ length: 4 }, (): FakeEndpoint => ({ group: 'quick', capacity: 100, free: 100 }));
  const free = { max: 40, free: 40 };
  const backlog = backlogOver(endpoints, { quick: free, slow: free, new: free, failing: free });
  for (const id of ['2', '0', '3', '1', '0', '2']) backlog.add(id);
  expect([...backlog.takeNextClaim()]).toEqual([
    ['2', 10],
    ['0', 10],
    ['3', 10],
    ['1', 10],
  ]);
});

test('an endpoint whose queue is full is set aside until half of it is free', () => {
  const endpoint: FakeEndpoint = { group: 'quick', capacity: 16, free: 7 };
  const free = { max: 40, free: 40 };
  const backlog = backlogOver([endpoint], { quick: free, slow: free, new: free, failing: free });
  backlog.add('0');
  expect([backlog.has('0'), backlog.isClaimDue('0'), backlog.takeNextClaim().size]).toEqual([true, false, 0]);
  endpoint.free = 8;
  expect(backlog.isClaimDue('0')).toBe(true);
  expect([...backlog.takeNextClaim()]).toEqual([['0', 8]]);
  expect(backlog.has('0')).toBe(false);
});
