import { setTimeout as sleep } from 'node:timers/promises';
import { callsOfAccountMax } from '@app/billing/renew-due';
import { databaseUrl } from '@app/embedded/databases';
import pg from 'pg';
import { type CpuUse, cpuBetween, readCpu, residentMemory } from '../measure/cpu.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { readTransactions, transactionsBetween } from '../measure/transactions.ts';
import { type Platform, slowCardMs } from '../platform/start-platform.ts';
import { seedDue } from './seed-due.ts';

export interface RenewalsRun {
  readonly due: number;
  readonly charged: number;
  /** From the run's beginning until its first charge was sent: meanwhile the newest hour of the processor's list is compared. */
  readonly beforeFirstSeconds: number;
  /** From the run's beginning until the last renewal was recorded. */
  readonly seconds: number;
  readonly perSecond: number;
  /** With the comparison of the books at its end. */
  readonly runSeconds: number;
  readonly cpu: CpuUse;
  /** Resident memory of the platform at its highest meanwhile. */
  readonly peakMb: number;
  /** Committed transactions of billing for each renewal. */
  readonly transactions: number;
  readonly callsAtOnce: number;
}

export interface RenewalsResult {
  /** The processor answers at once. */
  readonly instant: RenewalsRun[];
  /** It takes `slowMs` for each call. */
  readonly slow: RenewalsRun[];
  readonly slowMs: number;
  /** A run when all are charged. */
  readonly nothingDueSeconds: number;
}

const slowDue = 10_000;
const checkMs = 250;

/** The daily job charges subscriptions that were written into billing's database, each once. */
export async function measureRenewals(
  platform: Platform,
  postgresUrl: string,
  sizes: readonly number[],
): Promise<RenewalsResult> {
  const accountId = await accountOf(platform, postgresUrl);
  const billing = new pg.Client({ connectionString: databaseUrl(postgresUrl, 'billing') });
  await billing.connect();
  try {
    const measure = (due: number, card: string) => chargeDue({ platform, postgresUrl, billing, accountId }, due, card);
    // For V8 to compile what is hot, and for PostgreSQL to know the tables.
    await measure(2_000, 'sim_ok');
    const instant: RenewalsRun[] = [];
    for (const due of sizes) instant.push(await measure(due, 'sim_ok'));
    const slow = [await measure(Math.min(slowDue, sizes.at(-1) ?? slowDue), 'sim_slow')];
    const nothing = await platform.client.runDaily();
    return {
      instant,
      slow,
      slowMs: slowCardMs,
      nothingDueSeconds: secondsBetween(nothing.started_at, nothing.finished_at),
    };
  } finally {
    await billing.end();
  }
}

interface Bench {
  readonly platform: Platform;
  readonly postgresUrl: string;
  readonly billing: pg.Client;
  readonly accountId: string;
}

async function chargeDue(
  { platform, postgresUrl, billing, accountId }: Bench,
  due: number,
  card: string,
): Promise<RenewalsRun> {
  await seedDue(billing, accountId, 'simulated', Array<string>(due).fill(card));
  await waitUntilQuiet();
  const transactionsBefore = await readTransactions(postgresUrl);
  const before = readCpu(platform.system.processes);
  const memory = watchMemory(platform.pid);
  const run = await platform.client.runDaily();
  const cpu = cpuBetween(before, readCpu(platform.system.processes), due);
  const peakMb = await memory.stop();
  const { rows } = await billing.query<{ first: Date | null; last: Date | null }>(
    `select min(sent_at) as first, max(finished_at) as last from payments
     where account_id = $1 and step = 'renewal' and sent_at >= $2`,
    [accountId, run.started_at],
  );
  const until = (at: Date | null | undefined): number =>
    secondsBetween(run.started_at, at?.toISOString() ?? run.finished_at);
  const seconds = until(rows[0]?.last);
  const { charged } = run.result.rebills;
  const runSeconds = secondsBetween(run.started_at, run.finished_at);
  // Backends report their counts within a second of falling idle.
  await sleep(1_200);
  const committed = transactionsBetween(transactionsBefore, await readTransactions(postgresUrl), due);
  const rates = { beforeFirstSeconds: until(rows[0]?.first), seconds, perSecond: charged / seconds, runSeconds };
  return {
    due,
    charged,
    ...rates,
    cpu,
    peakMb,
    transactions: committed.billing ?? Number.NaN,
    callsAtOnce: callsOfAccountMax,
  };
}

export const secondsBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1_000;

function watchMemory(pid: number): { stop(): Promise<number> } {
  let peakMb = 0;
  let watching = true;
  const sampling = (async () => {
    while (watching) {
      peakMb = Math.max(peakMb, residentMemory(pid).nowMb);
      await sleep(checkMs);
    }
  })();
  return {
    stop: async () => {
      watching = false;
      await sampling;
      return peakMb;
    },
  };
}

/** The seller of the demo data. */
export async function accountOf({ client }: Platform, postgresUrl: string): Promise<string> {
  const [product] = await client.listProducts();
  const catalog = new pg.Client({ connectionString: databaseUrl(postgresUrl, 'catalog') });
  await catalog.connect();
  const { rows } = await catalog.query<{ account_id: string }>('select account_id from products where id = $1', [
    product?.id,
  ]);
  await catalog.end();
  if (rows[0] === undefined) throw new Error('The demo data has no product');
  return rows[0].account_id;
}
