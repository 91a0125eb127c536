import { type ServiceName, serviceNames } from '@app/contracts/services';
import { pollSystem } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';
import { listLaggingConsumers } from '@app/testing/stream';
import { timePasses } from '@app/testing/time-passes';
import type { Answers } from './answers.ts';
import { noteProblems, runDaily } from './daily-jobs.ts';
import { endDisputes } from './dashboard.ts';
import type { Run } from './run.ts';
import { calmStripe } from './stripe-side.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
const stepHours = 8;
/** Holds expire after a week, and a refund that fails does so after an hour: so long the clock goes on in any case. */
const roundsMin = 24;
const roundsMax = 90;
/** What sweeps bring to an end waits for them, and they run once in a minute of real time. */
const sweepPauseMs = 3_000;

/** What must come to an end by itself, by name: service, and how many there are. */
const open: readonly (readonly [string, ServiceName, string])[] = [
  ['payments without an end', 'billing', `payments where status not in ('succeeded', 'declined')`],
  ['holds that are not settled', 'billing', `holds where status not in ('settled', 'lost')`],
  ['renewals under way', 'billing', `renewals where status = 'processing'`],
  ['charges to refund', 'billing', 'charges where refund_due_at is not null'],
  ['orders that are authorized', 'checkout', `orders where status = 'authorized'`],
  ['refunds without an end', 'checkout', `refunds where status = 'requested'`],
  ['checkouts being paid', 'checkout', `checkouts where status in ('processing', 'requires_action', 'authorized')`],
];

async function listOpen({ cluster }: World): Promise<string[]> {
  const found = await Promise.all(
    open.map(async ([name, service, rows]) => {
      const sql = `select row_to_json(found)::text as row from (select * from ${rows}) as found`;
      const all = await query<{ row: string }>(cluster.databaseUrl(service), sql);
      return [name, all] as const;
    }),
  );
  return found.flatMap(([name, all]) => (all.length === 0 ? [] : [`${all.length} ${name}, as ${all[0]?.row}`]));
}

export interface End {
  /** What is still open after the bound. */
  readonly open: readonly string[];
  /** Of the last jobs. */
  readonly problems: readonly string[];
}

/** After the actors: the clock goes on in steps with daily jobs until nothing is open, then one more job for each seller. */
export async function bringToAnEnd(run: Run, world: World, answers: Answers): Promise<End> {
  let left: string[] = [];
  await calmStripe(world);
  endDisputes(world, run.random);
  for (let round = 0; round < roundsMax; round++) {
    world.later.advance(stepHours * hourMs);
    noteProblems(answers, await runDaily(run, world, { shop: undefined, force: true }));
    await calmStripe(world);
    await untilDelivered(world);
    left = await listOpen(world);
    if (round < roundsMin) continue;
    if (left.length === 0) break;
    await timePasses(sweepPauseMs);
  }
  const problems: string[] = [];
  for (const shop of world.shops) {
    const { json } = await runDaily(run, world, { shop, force: true });
    for (const { code, detail } of json.problems) problems.push(`last daily job of ${shop.handle}: ${code}: ${detail}`);
  }
  await untilDelivered(world);
  return { open: left.map((each) => `open after ${roundsMax} steps of ${stepHours} h: ${each}`), problems };
}

/** Everything published is handled. */
export async function untilDelivered({ cluster }: World): Promise<void> {
  await pollSystem('empty outboxes', async () => (await countUnpublished(cluster.databaseUrl)) === 0, 120_000);
  await pollSystem('no consumer lags', async () => (await listLaggingConsumers(cluster.nats)).length === 0, 120_000);
}

async function countUnpublished(databaseUrl: (service: ServiceName) => string): Promise<number> {
  const sql = 'select count(*)::integer as count from outbox where stream_seq is null';
  const counts = await Promise.all(
    serviceNames.map(async (service) => (await query<{ count: number }>(databaseUrl(service), sql))[0]?.count ?? 0),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const deliveryStepsMax = 40;

/**
 * What a seller does who reads that an endpoint was switched off. Five days of nothing but failures are about twenty seconds of the run, because its
 * clock leaps: the machine may be busy, or the dispatcher be started again, for so long, and then the steady ones are off too.
 * @returns how many were off
 */
async function switchEndpointsOn({ shops }: World): Promise<number> {
  let switched = 0;
  for (const { seller } of shops) {
    const path = '/api/v1/webhook-endpoints';
    const { json } = await seller.call('GET', path);
    for (const { id, active } of json.data) {
      if (active) continue;
      const { status, text } = await seller.call('PATCH', `${path}/${id}`, { body: { active: true } });
      if (status !== 200) throw new Error(`an endpoint could not be switched on, ${status}: ${text}`);
      switched += 1;
    }
  }
  return switched;
}

/**
 * Every webhook came to an end, also those that are held of endpoints which were switched off: where none goes out any more, they wait
 * for their next attempt, and the clock goes on.
 */
export async function untilWebhooksEnd(run: Pick<Run, 'count'>, world: World): Promise<string[]> {
  const { cluster, later, calmReceiver } = world;
  calmReceiver();
  run.count('endpoints switched on again', await switchEndpointsOn(world));
  const url = cluster.databaseUrl('webhook-dispatcher');
  const sql = 'select count(*)::integer as count, count(*) filter (where status = $1)::integer as held from deliveries';
  for (let steps = 0; ; ) {
    const [row] = await query<{ count: number; held: number }>(url, sql, ['held']);
    if (row === undefined || row.count === 0) return [];
    const isLess = async () => ((await query<{ count: number }>(url, sql, ['held']))[0]?.count ?? 0) < row.count;
    const goesOn = await pollSystem('fewer webhooks under way', isLess, 10_000).then(
      () => true,
      () => false,
    );
    if (goesOn) continue;
    if (steps === deliveryStepsMax) return [`${row.count} webhooks are not delivered, ${row.held} of them held`];
    steps += 1;
    run.count('endpoints switched on again', await switchEndpointsOn(world));
    later.advance(hourMs);
  }
}
