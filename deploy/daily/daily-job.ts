import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { callDailyJob, type Outcome } from '@app/runs/call-daily-job';
import { startDailySchedule } from '@app/runs/daily-schedule';
import type { ProgressPauses } from '@app/runs/watch-progress';
import { type Arguments, readArguments, usage } from './arguments.ts';
import { type DailyConfig, readConfig } from './config.ts';

/** What the job reads and writes of its process. */
export interface Surroundings {
  /** The process's own unless given. */
  readonly env?: Record<string, string | undefined>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** When the job requests the run's progress; every few seconds unless given. */
  readonly progressPauses?: ProgressPauses;
}

/** `k8s/base/daily.yaml` says which of them make Kubernetes run the job again. */
export const exitCodes: Readonly<Record<Outcome, number>> = { ran: 0, refused: 1, incomplete: 2, unknown: 3 };
const wrongInput = 1;

/**
 * Requests the job as the arguments say; with `--every-day` it does not end.
 * @param args without the name of the program
 * @returns the exit code of the process
 */
export async function requestDailyJob(args: readonly string[], around: Surroundings): Promise<number> {
  // The gateway is called only when all arguments and settings are right.
  const given = readOrExplain<Arguments>(() => readArguments(args), around, `\n${usage}`);
  if (given === undefined) return wrongInput;
  if (given.help) {
    around.write(usage);
    return 0;
  }
  const config = readOrExplain<DailyConfig>(() => readConfig(around.env), around);
  if (config === undefined) return wrongInput;
  const job = { ...around, config, force: given.force };
  if (given.everyDay) return await runEveryDay(job);
  return exitCodes[await run(job, given.force || given.again ? 'again' : 'once')];
}

interface Job extends Surroundings {
  readonly config: DailyConfig;
  readonly force: boolean;
}

async function runEveryDay({ config, write }: Job): Promise<never> {
  const { gatewayUrl, key, startMinute } = config;
  const say = (line: string): void => write(`${new Date().toISOString()} ${line}\n`);
  startDailySchedule({ gatewayUrl, key, startMinute, say, ended: noteOutcome });
  return await new Promise<never>(() => undefined);
}

async function run(job: Job, purpose: 'once' | 'again'): Promise<Outcome> {
  const { force, progressPauses } = job;
  const day = new Date().toISOString().slice(0, 10);
  const suffix = purpose === 'again' ? `-${randomUUID()}` : '';
  const { gatewayUrl, key } = job.config;
  const idempotencyKey = `daily-${day}-${purpose}${suffix}`;
  return await callDailyJob({
    gatewayUrl,
    key,
    idempotencyKey,
    force,
    log: (line) => log(job, line),
    // A run of `--again` ends at once where no gateway answers; another waits until one does.
    mustBeThere: purpose === 'again',
    ...(progressPauses && { progressPauses }),
  });
}

/** Undefined where an argument or a setting is wrong; the error output says which. */
function readOrExplain<Given>(read: () => Given, { writeError }: Surroundings, more = ''): Given | undefined {
  try {
    return read();
  } catch (err) {
    writeError(`daily job: ${(err as Error).message}\n${more}`);
    return undefined;
  }
}

/** For the container's health check. */
function noteOutcome(outcome: Outcome): void {
  const failed = '/tmp/daily-job-failed';
  if (outcome === 'ran') rmSync(failed, { force: true });
  else writeFileSync(failed, '');
}

function log({ write }: Surroundings, line: string): void {
  write(`${new Date().toISOString()} daily job, ${line}\n`);
}
