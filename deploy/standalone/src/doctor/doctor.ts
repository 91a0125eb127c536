import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freeBytes } from '@app/embedded/free-space';
import { rowsOf } from '../backup/back-up.ts';
import { folderBeside, takenAt } from '../backup/backups.ts';
import { ignoredVariables, loopbackWarning, readConfig, type StandaloneConfig } from '../config.ts';
import { readConnections } from '../connections.ts';
import { readCredentials } from '../credentials.ts';
import { isLoopbackHost } from '../loopback.ts';
import {
  aboutBackup,
  aboutClock,
  aboutDailyJob,
  aboutDisk,
  aboutMail,
  aboutProxy,
  aboutReadiness,
  aboutSettings,
  aboutStripe,
  aboutUnverified,
  type Finding,
  linesOf,
  type Ready,
  unseen,
} from './findings.rules.ts';

/** Nothing that is asked may hang. */
const withinMs = 5_000;

async function examine(config: StandaloneConfig, backups: string | undefined): Promise<Finding[]> {
  const dataDir = resolve(config.DATA_DIR);
  // Read when they are needed: what does not run is a finding like others.
  const gateway = () => readConnections(dataDir, 'gateway').DATABASE_URL;
  const billing = () => readConnections(dataDir, 'billing').DATABASE_URL;
  const folder = resolve(backups ?? folderBeside(dataDir));
  const { PUBLIC_URL: publicUrl, TRUST_PROXY: trustProxy, HOST, SMTP_URL, EMAIL_DIR } = config;
  const isPublic = !isLoopbackHost(HOST) || (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname));
  const local = `http://127.0.0.1:${config.PORT}`;
  const platformKey = () => readCredentials(dataDir)?.platformKey ?? '';
  return [
    ...aboutSettings([ignoredVariables(config), loopbackWarning(config)].filter((text) => text !== undefined)),
    aboutProxy({ publicUrl, trustProxy, isLoopbackHost: isLoopbackHost(HOST), isPublic }),
    await look('disk', () => aboutDisk(freeBytes(dataDir))),
    ...aboutReadiness(await ready(local)),
    await look('clock', async () => aboutClock('PostgreSQL', await clockDifferenceMs(gateway()))),
    await look('backup', async () => aboutBackup(await newestBackup(folder), folder, Date.now())),
    await look('daily job', async () => aboutDailyJob(await lastDailyJob(config, local, platformKey()), Date.now())),
    await look('mail', async () =>
      aboutMail(SMTP_URL === undefined ? undefined : await answers(SMTP_URL), EMAIL_DIR ?? join(dataDir, 'emails')),
    ),
    await look('Stripe', async () => aboutStripe({ endpoints: await stripeEndpoints(billing()) })),
    await look('addresses', async () => aboutUnverified(await unverifiedAccounts(gateway()))),
  ];
}

/** That one thing cannot be looked at hides no other: it is when something is broken that an operator looks. */
async function look(about: string, at: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await at();
  } catch (err) {
    return unseen(about, (err as Error).message);
  }
}

async function ready(url: string): Promise<Ready> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(withinMs) });
    return (await answer.json()) as Ready;
  } catch (err) {
    return { status: 'no answer', missing: [`the gateway at ${url} (${(err as Error).message})`] };
  }
}

async function clockDifferenceMs(url: string): Promise<number> {
  const beforeMs = Date.now();
  const [row] = await rowsOf<{ ms: number }>(
    url,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  // It was read at some time between the two.
  const [least, most] = [(row?.ms ?? 0) - Date.now(), (row?.ms ?? 0) - beforeMs];
  return Math.max(least, Math.min(most, 0));
}

async function newestBackup(folder: string): Promise<Date | undefined> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => takenAt(name) ?? []).toSorted((a, b) => b.getTime() - a.getTime())[0];
}

interface Run {
  readonly finished_at: string | null;
  readonly result?: { readonly problems: readonly { readonly code: string }[] } | null;
}

async function lastDailyJob({ DAILY_AT, CLOCK_CONTROL }: StandaloneConfig, url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/daily-runs`, { headers, signal: AbortSignal.timeout(withinMs) });
  if (!answer.ok) throw new Error(`the gateway answered with ${answer.status}`);
  const { data } = (await answer.json()) as { readonly data: readonly Run[] };
  const last = data.find(({ finished_at }) => finished_at !== null);
  const problems = [...new Set(last?.result?.problems.map(({ code }) => code) ?? [])];
  const isScheduled = DAILY_AT !== 'off' && CLOCK_CONTROL === 'disabled';
  return { finishedAt: last?.finished_at ?? undefined, problems, isScheduled };
}

/** Whether the mail server greets. What it takes, the first email shows. */
async function answers(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) || (protocol === 'smtps:' ? 465 : 587) });
  const { promise, resolve: end } = Promise.withResolvers<boolean>();
  socket.once('connect', () => end(true)).once('error', () => end(false));
  socket.setTimeout(withinMs, () => end(false));
  return await promise.finally(() => socket.destroy());
}

const stripeEndpoints = (url: string) =>
  rowsOf<{ status: string; accounts: number }>(
    url,
    `select status, count(*)::int as accounts from processor_webhooks where processor = 'stripe' group by status order by status`,
  );

async function unverifiedAccounts(url: string): Promise<number> {
  const [row] = await rowsOf<{ accounts: number }>(
    url,
    'select count(*)::int as accounts from accounts where not email_verified',
  );
  return row?.accounts ?? 0;
}

/*
 * `npm run doctor`, beside a running `npm start` and with its settings: says of each thing that breaks in practice how it is, and what to do.
 * Changes nothing. Exit code 0: nothing is bad; 2: something is; 1: it could not look.
 */
try {
  const { values } = parseArgs({ options: { backups: { type: 'string' } } });
  const findings = await examine(readConfig(), values.backups);
  for (const line of linesOf(findings)) process.stdout.write(`${line}\n`);
  process.exitCode = findings.some(({ state }) => state === 'bad') ? 2 : 0;
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
