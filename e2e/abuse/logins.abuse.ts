import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { print } from '../support/print.ts';
import { call, signUp } from '../support/seller.ts';

/** Bound: a log-in from a quiet address takes at most so many times what it takes in quiet, while others flood. */
const ratioMax = 5;
const addresses = Array.from({ length: 20 }, (_, n) => `203.0.113.${n + 1}`);
/** Each log-in from one of its own: who had a hash in the last minute goes after those who had fewer. */
let ownAddresses = 0;
const quietAddress = () => `198.51.100.${++ownAddresses}`;
const [floodMs, sampled] = [15_000, 5];
const owner = { email: 'owner@example.com', password: 'a long enough password' };

let cluster: Cluster;
beforeAll(async () => {
  // By itself it hashes passwords at their real cost.
  cluster = await startCluster({ settings: { TRUST_PROXY: '1' }, apart: ['gateway'] });
  await call(cluster.baseUrl, 'POST', '/api/auth/signup', { body: { ...owner, name: 'Owner' } });
});
afterAll(() => cluster.close());

const logIn = (address: string, body: object) =>
  call(cluster.baseUrl, 'POST', '/api/auth/login', { headers: { 'x-forwarded-for': address }, body });

/** The median of some log-ins of the owner, one after the other, and whether all succeeded. */
async function timeLogIns(): Promise<{ ms: number; statuses: number[] }> {
  const [times, statuses]: [number[], number[]] = [[], []];
  for (let n = 0; n < sampled; n += 1) {
    const beganMs = performance.now();
    statuses.push((await logIn(quietAddress(), owner)).status);
    times.push(performance.now() - beganMs);
  }
  return { ms: times.toSorted((one, other) => one - other)[Math.floor(sampled / 2)] as number, statuses };
}

test('twenty addresses that flood the log-in keep neither the owner nor a session out', async () => {
  const seller = await signUp(cluster.baseUrl);
  const quiet = await timeLogIns();
  const answers = new Map<number, number>();
  const endsMs = performance.now() + floodMs;
  let flooding = true;
  const flood = addresses.flatMap((address, n) =>
    Array.from({ length: 10 }, async (_, k) => {
      for (let m = 0; flooding && performance.now() < endsMs; m += 1) {
        const { status } = await logIn(address, { email: `guess-${n}-${k}-${m}@example.com`, password: 'a guess' });
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    }),
  );
  await Promise.all(addresses.map((address) => logIn(address, { email: 'first@example.com', password: 'a guess' })));
  const [busy, read] = await Promise.all([timeLogIns(), seller.call('GET', '/api/v1/orders')]);
  flooding = false;
  await Promise.all(flood);
  const counts = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
  print(
    `log-ins: ${addresses.length} addresses got ${counts}; the owner's log-in took ${Math.round(quiet.ms)} ms in quiet ` +
      `and ${Math.round(busy.ms)} ms beside them`,
  );
  expect(read.status).toBe(200);
  expect(busy.statuses).toEqual(quiet.statuses.map(() => 200));
  expect(busy.ms / quiet.ms).toBeLessThanOrEqual(ratioMax);
});
