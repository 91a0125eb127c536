import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SystemUnderTest } from '../system.ts';

export interface LoadResult {
  /** Answered with 2xx. */
  readonly accepted: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Answered with 4xx or 5xx, and not answered at all. */
  readonly failed: number;
  readonly bytesPerAnswer: number;
  /** Checkouts that were paid; 0 for other scripts. */
  readonly paid: number;
}

export interface Load {
  readonly script: 'orders' | 'reads' | 'checkouts' | 'mcp';
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The seller's, for checkouts. */
  readonly handle?: string;
  /** What the script `mcp` calls, in the words of which revision of the protocol. */
  readonly mcp?: McpCall;
  /** Sold instead of what the system sells. */
  readonly productSlug?: string;
}

export interface McpCall {
  readonly tool: 'list_orders' | 'create_order';
  readonly revision: '2025-11-25' | '2026-07-28';
}

const run = promisify(execFile);
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
let runs = 0;

export function requireWrk(): void {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'ignore' });
  } catch (err) {
    // wrk answers --version with exit code 1.
    if ((err as NodeJS.ErrnoException).code !== 'ENOENT') return;
    throw new Error(
      'wrk, the load generator, is missing. Install it: sudo apt-get install wrk (macOS: brew install wrk)',
    );
  }
}

/** Closed loop: every connection sends its next request when its answer has come. One thread is enough for 20,000/s. */
export async function runWrk(system: SystemUnderTest, load: Load): Promise<LoadResult> {
  runs += 1;
  const env = {
    ...process.env,
    BENCH_API_KEY: system.apiKey,
    BENCH_PRODUCT_SLUG: load.productSlug ?? system.sale.productSlug,
    BENCH_BUMP_ID: system.sale.bumpId,
    BENCH_HANDLE: load.handle ?? '',
    BENCH_TOOL: load.mcp?.tool ?? '',
    BENCH_REVISION: load.mcp?.revision ?? '',
    BENCH_RUN: `${process.pid}-${runs}`,
    BENCH_SUMMARY: file('./summary.lua'),
  };
  const args = ['--threads', '1', '--connections', String(load.connections), '--duration', `${load.seconds}s`];
  args.push('--timeout', '10s', '--script', file(`./${load.script}.lua`), load.url);
  const { stdout } = await run('wrk', args, { env });
  const line = /^summary (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`wrk printed no summary:\n${stdout}`);
  const summary = JSON.parse(line) as Record<string, number>;
  const { requests = 0, seconds = 1, bytes = 0, refused = 0, broken = 0, p50Ms = 0, p99Ms = 0, maxMs = 0 } = summary;
  const accepted = requests - refused;
  return {
    accepted,
    perSecond: accepted / seconds,
    p50Ms,
    p99Ms,
    maxMs,
    failed: refused + broken,
    paid: Number(/^paid (\d+)$/m.exec(stdout)?.[1] ?? 0),
    bytesPerAnswer: requests === 0 ? 0 : bytes / requests,
  };
}
