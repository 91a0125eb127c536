import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLong, timeoutMs } from './libs/testing/src/long.ts';
import { testWorkers } from './libs/testing/src/workers.ts';
import { LongestFirst } from './test/support/longest-first.ts';

const infrastructure = 'libs/testing/src/global-setup.ts';
const platform = [infrastructure, 'e2e/support/test-programs.ts'];

// Node keeps what it has compiled, for the workers and for the processes that tests start: a third of each start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile');

/** `npm run test:long` runs the files that have a longer form. */
const hasLongForm = (file: string): boolean => readFileSync(file, 'utf8').includes("'@app/testing/long'");
const filesOf = (patterns: string[]): string[] =>
  isLong ? globSync(patterns, { exclude: ['**/node_modules'] }).filter(hasLongForm) : patterns;

interface Apart {
  readonly globalSetup?: string[];
  readonly maxWorkers?: number;
  readonly testTimeout?: number;
}

/** Files that a command of their own runs, and never `npm test`. @param groupOrder no two projects that have workers of their own share it */
const apart = (name: string, include: string, groupOrder: number, changes: Apart = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [include],
    globalSetup: platform,
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { groupOrder },
    ...changes,
  },
});

export default defineConfig({
  test: {
    pool: 'forks',
    // Loading takes a quarter less CPU where the heap begins with 16 MB for what is new.
    execArgv: ['--min-semi-space-size=16'],
    maxWorkers: 2,
    retry: 0,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/plain-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'repo',
          include: ['test/*.test.ts'],
          // Cruising every import takes seconds, not milliseconds; a minute on a machine that does much else.
          testTimeout: timeoutMs(300_000),
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          // Decisions without state: a process for each file would cost more than its tests.
          isolate: false,
          include: filesOf(['libs/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'deploy/*/src/**/*.test.ts']),
          // They take milliseconds; a machine that gives the process no CPU takes seconds.
          testTimeout: timeoutMs(60_000),
          hookTimeout: timeoutMs(60_000),
          // In the group of the others: two workers alone left half of two cores idle.
          maxWorkers: testWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          // Loading a service costs a second, most files' tests less. A file leaves nothing behind: `guardLeaks` checks.
          isolate: false,
          // Each file has its own database and services.
          maxWorkers: testWorkers,
          include: filesOf(['libs/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'deploy/*/test/**/*.test.ts']),
          globalSetup: [infrastructure],
          // The longest take 20 s: seven times that on a slow machine, as those of e2e.
          testTimeout: timeoutMs(150_000),
          hookTimeout: timeoutMs(60_000),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: filesOf(['e2e/**/*.test.ts']),
          globalSetup: platform,
          // Most take ten seconds, those that start the platform again and again forty: seven times that on a slow machine.
          testTimeout: timeoutMs(300_000),
          hookTimeout: timeoutMs(300_000),
          isolate: false,
          // Beside the tests of services: these wait for processes that start and for leases that end.
          maxWorkers: testWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      // By `npm run abuse`: what a hostile caller did from outside, bounded, on loopback.
      apart('abuse', 'e2e/abuse/*.abuse.ts', 3),
      // By `npm run judge`: Lighthouse, and times beside other times of the same run.
      apart('judge', 'e2e/judge/*.judge.ts', 4),
      // By `npm run shots`: pictures for people.
      apart('shots', '{e2e/shots,libs/*/test}/*.shots.ts', 5, { testTimeout: 3_600_000, maxWorkers: 2 }),
      // By `npm run stripe:check`: at Stripe, with a test key.
      apart('stripe-check', 'services/billing/test/stripe/*.check.ts', 6, { globalSetup: [infrastructure] }),
      // By `npm run chaos:money`: it lasts as long as its options say.
      apart('chaos', 'e2e/chaos/*.chaos.ts', 2),
    ],
  },
});
