import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freeBytes } from '@app/embedded/free-space';
import { isMissed, lastStartMs } from '@app/runs/start-time';
import {
  aboutBackup,
  aboutClock,
  aboutDailyJob,
  aboutDisk,
  aboutMail,
  aboutProxy,
  aboutReadiness,
  aboutSettings,
  aboutUnverified,
  type Finding,
} from '@app/service-host/doctor/findings.rules';
import { lookAtStripe } from '@app/service-host/doctor/look-at-stripe';
import {
  answersMail,
  clockDifferenceMs,
  look,
  readDailyJob,
  readReadiness,
  report,
} from '@app/service-host/doctor/looks';
import { rowsOf } from '../backup/back-up.ts';
import { folderBeside, takenAt } from '../backup/backups.ts';
import { dataDirOf, readConfig } from '../config.ts';
import { type RunningSettings, readConnections, readRunningSettings, runningSettingsOf } from '../connections.ts';
import { readCredentials } from '../credentials.ts';
import { isLoopbackHost } from '../loopback.ts';

/** Of the process that runs; where none does, of this shell, which `npm start` would be started from. */
function settingsFor(dataDir: string): RunningSettings {
  const running = readRunningSettings(dataDir);
  if (running !== undefined) return running;
  const config = readConfig();
  return runningSettingsOf(config, `http://127.0.0.1:${config.PORT}`);
}

async function examine(dataDir: string, backups: string | undefined): Promise<Finding[]> {
  const running = settingsFor(dataDir);
  // Read when they are needed: what does not run is a finding like others.
  const gateway = () => readConnections(dataDir, 'gateway');
  const folder = resolve(backups ?? folderBeside(dataDir));
  const {
    url,
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: trustProxy,
    HOST,
    SMTP_URL,
    EMAIL_DIR,
    dailyStartMinute: startMinute,
  } = running;
  const isPublic = !isLoopbackHost(HOST) || (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname));
  const platformKey = () => readCredentials(dataDir)?.platformKey ?? '';
  return [
    ...aboutSettings(running.warnings),
    aboutProxy({ publicUrl, trustProxy, isLoopbackHost: isLoopbackHost(HOST), isPublic }),
    await look('disk', () => aboutDisk(freeBytes(dataDir))),
    ...aboutReadiness(await readReadiness(url), 'app.log of DATA_DIR'),
    await look('clock', async () =>
      aboutClock('PostgreSQL', await clockDifferenceMs(() => serverMs(gateway().DATABASE_URL))),
    ),
    await look('backup', async () => aboutBackup(await newestBackup(folder), folder, Date.now())),
    await look('daily job', async () =>
      aboutDailyJob(await lastDailyJob(url, platformKey(), startMinute), Date.now(), 'Run npm run daily.'),
    ),
    await look('mail', async () =>
      aboutMail(SMTP_URL === undefined ? undefined : await answersMail(SMTP_URL), EMAIL_DIR ?? join(dataDir, 'emails')),
    ),
    ...[await look('Stripe', () => lookAtStripe(gateway(), publicUrl))].flat(),
    await look('addresses', async () => aboutUnverified(await unverifiedAccounts(gateway().DATABASE_URL))),
  ];
}

const serverMs = async (url: string): Promise<number> => {
  const text = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';
  return (await rowsOf<{ ms: number }>(url, text))[0]?.ms ?? 0;
};

async function newestBackup(folder: string): Promise<Date | undefined> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => takenAt(name) ?? []).toSorted((a, b) => b.getTime() - a.getTime())[0];
}

async function lastDailyJob(url: string, key: string, startMinute: number | undefined) {
  const { dueSince, ...last } = await readDailyJob(url, key);
  const isMissedOne = startMinute !== undefined && isMissed(dueSince, Date.now(), startMinute);
  const dueAt = isMissedOne ? new Date(lastStartMs(Date.now(), startMinute)) : undefined;
  return { ...last, dueAt, isScheduled: startMinute !== undefined };
}

async function unverifiedAccounts(url: string): Promise<number> {
  const [row] = await rowsOf<{ accounts: number }>(
    url,
    'select count(*)::int as accounts from accounts where not email_verified',
  );
  return row?.accounts ?? 0;
}

/*
 * `npm run doctor`, beside a running `npm start`, by whose settings it judges: says of each thing that breaks in practice how it is, and what to do.
 * Changes nothing. Exit code 0: nothing is bad; 2: something is; 1: it could not look.
 */
try {
  const { values } = parseArgs({ options: { backups: { type: 'string' } } });
  const findings = await examine(resolve(dataDirOf()), values.backups);
  process.exitCode = report(findings, (text) => void process.stdout.write(text));
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
