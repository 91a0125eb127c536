import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate as migrateBilling } from '@app/billing/migrate';
import { newId } from '@app/contracts/ids';
import { paymentCompleted } from '@app/contracts/payments';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { connectNats } from '@app/messaging/connect';
import { natsPasswordVariable } from '@app/messaging/nats-config';
import { startRelay } from '@app/messaging/relay';
import { migrate as migrateMetrics } from '@app/metrics/migrate';
import { silentLogger } from '@app/service-kit/logger';
import pg from 'pg';
import { startProgram } from '../child-processes.ts';
import type { Infra } from '../infra.ts';
import { publishEvents } from '../load/publish-events.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import type { Lengths } from '../options.ts';
import { launcher } from '../platform/start-platform.ts';

/** Events a second of one process while more wait than it takes, one figure for each round. */
export interface EventsResult {
  readonly events: number;
  /** From the outbox of one database to its stream. */
  readonly relay: number[];
  /** From the stream into figures. */
  readonly metrics: number[];
}

interface Bench {
  readonly infra: Infra;
  readonly events: number;
  readonly pool: pg.Pool;
  readonly url: string;
}

const accounts = 20;
/** A process begins slower than it goes on: V8 compiles what is hot. */
const warmUpShare = 0.25;
const checkEveryMs = 50;
const endsWithinMs = 300_000;
/** As much as an `order.paid` takes. */
const payload = JSON.stringify({ filler: 'x'.repeat(1_000) });
const metricsMain = fileURLToPath(new URL('../../services/metrics/src/main.ts', import.meta.url));

export async function measureEvents(infra: Infra, { deliveries: events, rounds }: Lengths): Promise<EventsResult> {
  await using stack = new AsyncDisposableStack();
  const open = async (name: string, migrate: (url: string) => Promise<unknown>): Promise<Bench> => {
    await ensureDatabases(infra.postgres.url, [{ database: name, user: name, password: 'bench-password' }]);
    const url = databaseUrl(infra.postgres.url, name, name, 'bench-password');
    await migrate(url);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    stack.defer(() => pool.end());
    return { infra, events, pool, url };
  };
  const relaying = await open('bench_relay', migrateBilling);
  const counting = await open('bench_metrics', migrateMetrics);
  const result: EventsResult = { events, relay: [], metrics: [] };
  for (let round = 0; round < rounds; round++) {
    result.relay.push(await measureRelay(relaying));
    result.metrics.push(await measureConsumer(counting));
  }
  return result;
}

const passwordOf = ({ nats }: Infra, service: 'billing' | 'checkout' | 'metrics'): string =>
  nats.platform[natsPasswordVariable(service)] ?? '';

async function measureRelay({ infra, events, pool, url }: Bench): Promise<number> {
  await pool.query(
    `insert into outbox (event_id, subject, payload) select $1 || n, $2, $3 from generate_series(1, $4::int) as n`,
    [newId('event', Date.now()), paymentCompleted.subject, payload, events],
  );
  await pool.query('vacuum analyze outbox');
  await waitUntilQuiet();
  const password = passwordOf(infra, 'billing');
  const nats = await connectNats({ url: infra.nats.url, service: 'billing', user: 'billing', password });
  const relay = startRelay({ nats, databaseUrl: url, logger: silentLogger() });
  const rate = await rateOf(events, async () => events - (await count(pool, 'outbox where stream_seq is null')));
  await relay.close();
  await nats.close();
  return rate;
}

async function measureConsumer({ infra, events, pool, url }: Bench): Promise<number> {
  const accountIds = Array.from({ length: accounts }, () => newId('account', Date.now()));
  const natsPassword = passwordOf(infra, 'checkout');
  await publishEvents({ natsUrl: infra.nats.url, natsPassword, accountIds, count: events, perSecond: null });
  await waitUntilQuiet();
  const before = await count(pool, 'inbox');
  const { DATABASE_URL: _database, NATS_URL: _nats, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...{ DATABASE_URL: url, NATS_URL: infra.nats.url, NATS_USER: 'metrics' },
    NATS_PASSWORD: passwordOf(infra, 'metrics'),
  };
  const program = await startProgram(
    [launcher, metricsMain],
    env,
    join(infra.directory, `metrics-${before}.log`),
    /^metrics ready$/m,
  );
  const rate = await rateOf(events, async () => (await count(pool, 'inbox')) - before);
  await program.stop();
  return rate;
}

async function count(pool: pg.Pool, from: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from ${from}`);
  return rows[0]?.count ?? Number.NaN;
}

/** From the end of the warm-up until all are done. */
async function rateOf(events: number, done: () => Promise<number>): Promise<number> {
  const startedMs = performance.now();
  let warm: { readonly atMs: number; readonly done: number } | undefined;
  for (;;) {
    const now = { atMs: performance.now(), done: await done() };
    if (warm === undefined && now.done >= events * warmUpShare) warm = now;
    if (warm !== undefined && now.done >= events) return ((now.done - warm.done) / (now.atMs - warm.atMs)) * 1_000;
    if (now.atMs - startedMs > endsWithinMs) throw new Error(`${now.done} of ${events} events in five minutes`);
    await sleep(checkEveryMs);
  }
}
