/*
 * Asks the gateway to run the daily job of all accounts: once, for a CronJob, or with --every-day at DAILY_AT, where
 * nothing else keeps the time. Running the job twice in a day is safe, so it also runs when this process starts: a day
 * that passed while it was down is not left out.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from './config.ts';

const config = readConfig();
const tries = 60;
const betweenTriesMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));

/**
 * A job that takes longer than the gateway waits is answered with 503 and goes on; asking again gets the result of the
 * job that is running. Anything else than that, an unreachable gateway or a rate limit will not get better by itself.
 */
async function runDailyJob(): Promise<boolean> {
  for (let tried = 1; tried <= tries; tried++) {
    const { status, text } = await ask();
    log(`try ${tried}: ${status === 0 ? '' : `${status} `}${text}`);
    if (status === 200) return true;
    if (status !== 0 && status !== 429 && status < 500) return false;
    if (tried < tries) await sleep(betweenTriesMs);
  }
  return false;
}

async function ask(): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(new URL('/api/cron/daily', config.gatewayUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${config.platformKey}` },
      signal: AbortSignal.timeout(120_000),
    });
    return { status: response.status, text: (await response.text()).slice(0, 500) };
  } catch (err) {
    const { message, cause } = err as Error;
    return { status: 0, text: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}

/** For the container's health check. */
function noteOutcome(succeeded: boolean): void {
  const failed = '/tmp/daily-job-failed';
  if (succeeded) rmSync(failed, { force: true });
  else writeFileSync(failed, '');
}

function log(line: string): void {
  process.stdout.write(`${new Date().toISOString()} daily job, ${line}\n`);
}

/** Half a second into the minute: a timer may fire a little early, and would then find the same minute ahead of it. */
function untilNextStartMs(nowMs: number): number {
  const todayMs = Math.floor(nowMs / dayMs) * dayMs + config.startMinute * 60_000 + 500;
  return todayMs > nowMs ? todayMs - nowMs : todayMs + dayMs - nowMs;
}

if (process.argv.includes('--every-day')) {
  while (true) {
    noteOutcome(await runDailyJob());
    const waitMs = untilNextStartMs(Date.now());
    log(`next at ${new Date(Date.now() + waitMs).toISOString()}`);
    await sleep(waitMs);
  }
} else {
  process.exitCode = (await runDailyJob()) ? 0 : 1;
}
