import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { recordFacts } from '@app/metrics/record-facts';
import pg from 'pg';
import { type LoadResult, runWrk } from '../load/wrk.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { median } from '../measure/statistics.ts';
import type { Lengths } from '../options.ts';
import type { Platform } from '../platform/start-platform.ts';

export interface MetricsResult {
  readonly reads: readonly ReadsOfProduct[];
  /** Reads per second of the product with most orders over those of the one with fewest. */
  readonly ratio: number;
  readonly rebuild: RebuildResult;
  /** Milliseconds of the first page of an explanation, by product and number. */
  readonly explained: Readonly<Record<string, number>>;
}

interface ReadsOfProduct {
  readonly orders: number;
  readonly runs: LoadResult[];
}

export interface RebuildResult {
  readonly facts: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Batches of facts of the same account and product that were recorded meanwhile. */
  readonly batches: number;
  readonly medianWaitMs: number;
  readonly longestWaitMs: number;
  /** Whether the rebuilt numbers count every seeded fact and every batch once. */
  readonly complete: boolean;
}

interface Product {
  readonly accountId: string;
  readonly productId: string;
  readonly orders: number;
}

const connections = 8;
const batchSize = 50;
const run = promisify(execFile);
const rebuildProgram = fileURLToPath(new URL('../../services/metrics/src/rebuild.ts', import.meta.url));

/**
 * Facts of past orders come by SQL; the rebuild that makes their roll-ups is measured while new facts of the same product
 * are recorded as a consumer records them. Then the numbers of a small and of a large product are read in turns.
 */
export async function measureMetrics(
  platform: Platform,
  postgresUrl: string,
  lengths: Lengths,
): Promise<MetricsResult> {
  const url = new URL(postgresUrl);
  url.pathname = '/metrics';
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  try {
    const [small, large, largest] = await seed(pool, platform, [100, lengths.facts / 2, lengths.facts / 2]);
    const rebuild = await measureRebuild(pool, url.href, largest, lengths.facts);
    const products = [small, large];
    const reads = products.map(({ orders }) => ({ orders, runs: [] as LoadResult[] }));
    const path = ({ productId }: Product) =>
      `${platform.system.ordersUrl.replace('/v1/orders', '')}/metrics/${productId}`;
    for (const product of products) await read(platform, path(product), 1);
    for (let round = 0; round < lengths.rounds; round++) {
      for (const [index, product] of products.entries())
        reads[index]?.runs.push(await read(platform, path(product), lengths.lists));
    }
    const [few = 0, many = 0] = reads.map(({ runs }) => median(runs.map(({ perSecond }) => perSecond)));
    return { reads, ratio: many / few, rebuild, explained: await explain(platform, products, path) };
  } finally {
    await pool.end();
  }
}

async function read(platform: Platform, url: string, seconds: number): Promise<LoadResult> {
  await waitUntilQuiet();
  return await runWrk(platform.system, { script: 'reads', url, connections, seconds });
}

const insertFacts = `
  insert into facts (event_id, account_id, product_id, fact_key, kind, occurred_at, test, currency, amount_cents,
    mrr_cents, active_delta, email_key, has_bump, has_upsell, upsell_shown, from_checkout)
  select 'evt_' || lpad($5 || lpad(n::text, 9, '0'), 26, '0'), $1, $2, 'ord_' || lpad($5 || lpad(n::text, 9, '0'), 26, '0'), 'order_paid',
    now() - n * 7 % 700 * interval '1 day', false, 'usd', 1000, 0, 0, sha256(convert_to('buyer' || n % 50000, 'UTF8')), n % 2 = 0,
    n % 5 = 0, n % 4 = 0, n % 3 = 0
  from generate_series($3::int, $4::int) as n`;
const seedPortion = 100_000;

/**
 * Gives products without an order yet so many orders each over the same two years, in facts alone: the roll-ups do not know
 * of them.
 */
async function seed(
  pool: pg.Pool,
  platform: Platform,
  counts: readonly number[],
): Promise<[Product, Product, Product]> {
  const unsold = (await platform.client.listProducts())
    .filter(({ slug }) => slug.startsWith('bench-product-'))
    .slice(-3);
  const products: Product[] = [];
  for (const [index, orders] of counts.entries()) {
    const { rows } = await pool.query<{ account_id: string; product_id: string }>(
      'select account_id, product_id from products where product_id = $1',
      [unsold[index]?.id],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('metrics know no product to seed');
    for (let from = 1; from <= orders; from += seedPortion) {
      const until = Math.min(orders, from + seedPortion - 1);
      await pool.query(insertFacts, [row.account_id, row.product_id, from, until, String(index + 1)]);
    }
    products.push({ accountId: row.account_id, productId: row.product_id, orders });
  }
  await pool.query('analyze facts');
  return products as [Product, Product, Product];
}

async function measureRebuild(pool: pg.Pool, url: string, product: Product, facts: number): Promise<RebuildResult> {
  const env = { ...process.env, DATABASE_URL: url };
  const started = performance.now();
  let running = true;
  const rebuild = run(process.execPath, [rebuildProgram, '--account', product.accountId], {
    env,
    maxBuffer: 1e8,
  }).finally(() => {
    running = false;
  });
  const waits: number[] = [];
  while (running) waits.push(await recordBatch(pool, product, waits.length));
  await rebuild;
  const seconds = (performance.now() - started) / 1000;
  const { rows } = await pool.query<{ orders: string }>(
    `select orders from product_totals join rollup_generations using (account_id, generation)
     where account_id = $1 and product_id = $2`,
    [product.accountId, product.productId],
  );
  return {
    facts,
    seconds,
    perSecond: facts / seconds,
    batches: waits.length,
    medianWaitMs: median(waits),
    longestWaitMs: Math.max(...waits),
    complete: Number(rows[0]?.orders) === product.orders + waits.length * batchSize,
  };
}

/** One transaction, as a consumer's; resolves to its milliseconds. */
async function recordBatch(pool: pg.Pool, { accountId, productId }: Product, number: number): Promise<number> {
  const facts = Array.from({ length: batchSize }, (_, index) => ({
    event_id: `evt_bench_${number}_${index}`,
    account_id: accountId,
    product_id: productId,
    product_name: null,
    pricing_type: null,
    fact_key: `ord_bench_${number}_${index}`,
    kind: 'order_paid' as const,
    occurred_at: new Date().toISOString(),
    test: false,
    currency: 'usd',
    amount_cents: 1000,
    mrr_cents: 0,
    active_delta: 0,
    email: `new${number}-${index}@example.com`,
    marks: ['from_checkout' as const],
  }));
  const started = performance.now();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await recordFacts(client, facts);
    await client.query('commit');
  } finally {
    client.release();
  }
  return performance.now() - started;
}

async function explain(
  platform: Platform,
  products: readonly Product[],
  path: (product: Product) => string,
): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${platform.system.apiKey}` };
  const month = new Date().toISOString().slice(0, 7);
  const explained: Record<string, number> = {};
  for (const product of products) {
    for (const query of ['metric=revenueCents', 'metric=customers', `metric=customers&month=${month}`]) {
      const url = `${path(product)}/explain?${query}`;
      const times: number[] = [];
      for (let n = 0; n < 6; n++) {
        const started = performance.now();
        const response = await fetch(url, { headers });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${url} answered ${response.status}`);
        times.push(performance.now() - started);
      }
      explained[`${query}, ${product.orders} orders`] = median(times.slice(1));
    }
  }
  return explained;
}
