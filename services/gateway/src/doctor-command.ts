import { hourMs } from '@app/contracts/durations';
import type { NatsSettings } from '@app/messaging/nats-options';
import {
  aboutClock,
  aboutDailyJob,
  aboutMail,
  aboutProxy,
  aboutReadiness,
  aboutSettings,
  aboutUnverified,
  type Finding,
  notSeenHere,
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
import { type Database, openDatabase, statement } from '@app/service-kit/database';
import type { GatewayConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';

type Settings = NatsSettings &
  Pick<
    GatewayConfig,
    | 'DATABASE_URL'
    | 'EMAIL_DIR'
    | 'INSTALLATION_ID'
    | 'PLATFORM_KEY'
    | 'PORT'
    | 'PUBLIC_URL'
    | 'SMTP_URL'
    | 'TRUST_PROXY'
  >;

const clockStatement = statement<{ ms: number }>(
  'doctor-clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  { ms: 'float8' },
);
const unverifiedStatement = statement<{ accounts: number }>(
  'doctor-unverified',
  'select count(*)::int as accounts from accounts where not email_verified',
  { accounts: 'int4' },
);

/** The schedule is another container's: so long after the first account was made a run was due, whatever DAILY_AT is. */
const firstRunWithinMs = 26 * hourMs;

const runNow =
  'docker compose run --rm daily node /app/deploy/daily/main.ts --again; kubectl create job --from=cronjob/daily daily-now';

/**
 * What `node src/main.ts doctor` of the gateway does, beside the running gateway of a deployment: says of each thing that breaks in practice how
 * it is and what to do, and what it does not see from the gateway. Changes nothing.
 * @returns the exit code: 0 when nothing is bad, else 2
 */
export async function runDoctorCommand(
  settings: Settings,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  const database = await openDatabase({
    ...databaseOptions(settings.DATABASE_URL),
    ...{ applicationName: 'gateway-doctor', poolMax: 1, migrations: [] },
  });
  try {
    return report(await examine(settings, database), write);
  } finally {
    await database.close();
  }
}

async function examine(settings: Settings, { pool }: Database): Promise<Finding[]> {
  const { EMAIL_DIR, PLATFORM_KEY = '', PORT, PUBLIC_URL: publicUrl, SMTP_URL, TRUST_PROXY: trustProxy } = settings;
  const url = `http://127.0.0.1:${PORT}`;
  const isPublic =
    publicUrl !== undefined && !['localhost', '127.0.0.1', '[::1]'].includes(new URL(publicUrl).hostname);
  return [
    ...aboutSettings(warningsOf(settings)),
    aboutProxy({ publicUrl, trustProxy, isLoopbackHost: false, isPublic }),
    ...aboutReadiness(await readReadiness(url), 'docker compose logs or kubectl logs'),
    await look('clock', async () =>
      aboutClock(
        'PostgreSQL',
        await clockDifferenceMs(async () => (await pool.query(clockStatement())).rows[0]?.ms ?? 0),
      ),
    ),
    await look('daily job', async () => aboutDailyJob(await lastDailyJob(url, PLATFORM_KEY), Date.now(), runNow)),
    await look('mail', async () =>
      aboutMail(SMTP_URL === undefined ? undefined : await answersMail(SMTP_URL), EMAIL_DIR),
    ),
    ...[await look('Stripe', () => lookAtStripe(settings, publicUrl))].flat(),
    await look('addresses', async () =>
      aboutUnverified((await pool.query(unverifiedStatement())).rows[0]?.accounts ?? 0),
    ),
    notSeenHere('disk', 'docker compose exec postgres df -h /var/lib/postgresql; docker compose exec nats df -h /data'),
    notSeenHere('backup', 'Look into the folder of deploy/back-up.sh: the newest should be of last night.'),
  ];
}

function warningsOf({ INSTALLATION_ID, PLATFORM_KEY }: Settings): string[] {
  return [
    ...(INSTALLATION_ID === undefined
      ? ['INSTALLATION_ID is missing: a copy of the databases is not known as one']
      : []),
    ...(PLATFORM_KEY === undefined ? ['PLATFORM_KEY is missing: nothing can run the daily job of all accounts'] : []),
  ];
}

async function lastDailyJob(url: string, key: string) {
  const { dueSince, ...last } = await readDailyJob(url, key);
  const due = dueSince === undefined ? undefined : new Date(Date.parse(dueSince) + firstRunWithinMs);
  return { ...last, dueAt: due !== undefined && due.getTime() < Date.now() ? due : undefined, isScheduled: true };
}
