/*
 * Asks the gateway to run the daily job of all accounts: once, for a CronJob, or with --every-day at DAILY_AT, where
 * nothing else keeps the time; then it also runs when this process starts: a day that passed while it was down is not
 * left out.
 *
 * Asked again on the same UTC day for the same purpose (a pod that came again, a container that restarted), it gets the
 * result of that day's run. With --again, which is `npm run daily`, it runs whatever ran before: doing so is safe. With
 * --force it also charges what is more than the limit of charges allows. --help says so, and runs nothing.
 *
 * Exit codes: 0 it ran for every account; 1 the gateway refused or the answer is no result, an argument or a setting is
 * wrong, or with --again nobody is there; 2 it ran and is not ok; 3 no result within an hour; 128 + n ended by signal n before there was a result.
 */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arguments, readArguments, usage } from './arguments.ts';
import { callDailyJob, type Outcome } from './call-daily-job.ts';
import { type DailyConfig, readConfig } from './config.ts';

const { everyDay, again, force, help } = orExit<Arguments>(() => readArguments(process.argv.slice(2)), `\n${usage}`);
if (help) {
  process.stdout.write(usage);
  process.exit(0);
}
const config = orExit<DailyConfig>(readConfig);
const dayMs = 24 * 60 * 60 * 1000;
const exitCodes: Record<Outcome, number> = { ran: 0, refused: 1, incomplete: 2, unknown: 3 };

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => process.exit(everyDay ? 0 : 128 + constants.signals[signal]));
}

async function run(purpose: 'once' | 'start' | 'scheduled' | 'again'): Promise<Outcome> {
  const day = new Date().toISOString().slice(0, 10);
  const suffix = purpose === 'again' ? `-${randomUUID()}` : '';
  const { gatewayUrl, key } = config;
  const idempotencyKey = `daily-${day}-${purpose}${suffix}`;
  // Somebody waits for what was asked for now; what was scheduled waits for a gateway that is away.
  return await callDailyJob({ gatewayUrl, key, idempotencyKey, log, force, mustBeThere: purpose === 'again' });
}

/** Nothing is called before all that was given is right. */
function orExit<Given>(read: () => Given, more = ''): Given {
  try {
    return read();
  } catch (err) {
    process.stderr.write(`daily job: ${(err as Error).message}\n${more}`);
    process.exit(1);
  }
}

/** For the container's health check. */
function noteOutcome(outcome: Outcome): void {
  const failed = '/tmp/daily-job-failed';
  if (outcome === 'ran') rmSync(failed, { force: true });
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

if (everyDay) {
  noteOutcome(await run('start'));
  while (true) {
    const waitMs = untilNextStartMs(Date.now());
    log(`next at ${new Date(Date.now() + waitMs).toISOString()}`);
    await sleep(waitMs);
    noteOutcome(await run('scheduled'));
  }
} else {
  process.exitCode = exitCodes[await run(force || again ? 'again' : 'once')];
}
