/*
 * Requests that the gateway run the daily job of all accounts: once, for a CronJob, or with --every-day at DAILY_AT, where
 * nothing else keeps the time; then a run that was missed while this process was down is made up for soon after its start.
 *
 * Repeated on the same UTC day for the same purpose (a pod that came again, a container that restarted), it gets the
 * result of that day's run. With --again, which is `npm run daily`, it runs whatever ran before: doing so is safe. With
 * --force it also charges what is more than the limit of charges allows. --help says so, and runs nothing.
 *
 * Exit codes: 0 it ran for every account; 1 the gateway refused or the answer is no result, an argument or a setting is
 * wrong, or with --again no gateway answers; 2 it ran and is not ok; 3 no result within an hour; 128 + n ended by signal n before there was a result.
 */
import { constants } from 'node:os';
import { requestDailyJob } from './daily-job.ts';

const args = process.argv.slice(2);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => process.exit(args.includes('--every-day') ? 0 : 128 + constants.signals[signal]));
}

process.exitCode = await requestDailyJob(args, {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
