import { dayMs, hourMs } from '@app/contracts/durations';

/** What the doctor found of one thing. */
export interface Finding {
  readonly about: string;
  /** `bad`: something does not work, or will not. `note`: a person should know it. */
  readonly state: 'ok' | 'note' | 'bad';
  readonly text: string;
  /** What to do; left out where nothing is to be done. */
  readonly remedy?: string;
}

const ok = (about: string, text: string): Finding => ({ about, state: 'ok', text });
const note = (about: string, text: string, remedy: string): Finding => ({ about, state: 'note', text, remedy });
const bad = (about: string, text: string, remedy: string): Finding => ({ about, state: 'bad', text, remedy });

/** What could not be looked at. */
export const unseen = (about: string, why: string): Finding =>
  bad(about, `could not be looked at: ${why}`, 'Mend what is said of the services first, and look again.');

const gigabyte = 1_073_741_824;

export function aboutDisk(freeBytes: number): Finding {
  const free = `${(freeBytes / gigabyte).toFixed(1)} GB free`;
  if (freeBytes < gigabyte) return bad('disk', free, 'Make room: below 48 MB orders are refused.');
  return freeBytes < 5 * gigabyte ? note('disk', free, 'Make room before it is needed.') : ok('disk', free);
}

export interface Proxy {
  readonly publicUrl: string | undefined;
  readonly trustProxy: number;
  readonly isLoopbackHost: boolean;
  readonly isPublic: boolean;
}

export function aboutProxy({ publicUrl, trustProxy, isLoopbackHost, isPublic }: Proxy): Finding {
  if (!isPublic) {
    return trustProxy === 0
      ? ok('proxy', 'none: this machine alone reaches the shop')
      : bad(
          'proxy',
          'TRUST_PROXY is set, and callers reach the gateway themselves',
          'Leave TRUST_PROXY out: whoever sends X-Forwarded-For is believed.',
        );
  }
  if (publicUrl?.startsWith('http:') === true)
    return bad(
      'proxy',
      `PUBLIC_URL ${publicUrl} is not https`,
      'Put a TLS proxy in front: passwords and cards are typed there.',
    );
  if (trustProxy === 0)
    return bad('proxy', 'all callers count as one address', 'Set TRUST_PROXY to the number of proxies in front.');
  const others = isLoopbackHost ? '' : '; HOST is not loopback: let nobody but the proxy reach it';
  return ok('proxy', `${trustProxy} in front of ${publicUrl ?? 'the shop'}${others}`);
}

/** Tokens, leases and webhooks' signatures are all by the clock. @param differenceMs of this process and a server */
export function aboutClock(server: string, differenceMs: number): Finding {
  const text = `${server} differs by ${Math.abs(Math.round(differenceMs))} ms`;
  return Math.abs(differenceMs) < 2_000 ? ok('clock', text) : bad('clock', text, 'Let both follow NTP.');
}

export interface Ready {
  readonly status: string;
  readonly missing?: readonly string[];
  readonly warnings?: readonly string[];
}

export function aboutReadiness({ status, missing = [], warnings = [] }: Ready): Finding[] {
  return [
    missing.length === 0
      ? ok('services', 'all answer')
      : bad(
          'services',
          `${status}: ${missing.join(', ')}`,
          'Look at app.log of DATA_DIR for the service that is missing.',
        ),
    ...warnings.map((warning) => bad('warning', warning, 'deploy/README.md has a section for it.')),
  ];
}

/** @param newestAt of the newest backup; undefined where there is none */
export function aboutBackup(newestAt: Date | undefined, folder: string, nowMs: number): Finding {
  const remedy = 'Run npm run backup each night, to another disk.';
  if (newestAt === undefined)
    return bad(
      'backup',
      `none in ${folder}`,
      `${remedy} Where yours are elsewhere: npm run doctor -- --backups FOLDER.`,
    );
  const ageMs = nowMs - newestAt.getTime();
  const text = `the newest is of ${newestAt.toISOString()}`;
  return ageMs > 2 * dayMs ? bad('backup', text, remedy) : ok('backup', text);
}

export interface DailyJob {
  /** Of the last run over all accounts; undefined where there was none. */
  readonly finishedAt: string | undefined;
  readonly problems: readonly string[];
  readonly isScheduled: boolean;
}

export function aboutDailyJob({ finishedAt, problems, isScheduled }: DailyJob, nowMs: number): Finding {
  const run = 'Run npm run daily.';
  if (finishedAt === undefined)
    return isScheduled
      ? ok('daily job', 'has not run yet: it will at DAILY_AT')
      : note('daily job', 'has never run, and DAILY_AT is off', `${run} Let a scheduler do it each day.`);
  if (nowMs - Date.parse(finishedAt) > 26 * hourMs) return bad('daily job', `last ended at ${finishedAt}`, run);
  return problems.length === 0
    ? ok('daily job', `last ended at ${finishedAt}, without problems`)
    : note('daily job', `last ended at ${finishedAt}: ${problems.join(', ')}`, 'Its result says whose they are.');
}

/** @param reached whether the mail server answers; undefined where none is set */
export function aboutMail(reached: boolean | undefined, folder: string): Finding {
  if (reached === undefined)
    return note('mail', `emails are files in ${folder}`, 'Set SMTP_URL and EMAIL_FROM to send them.');
  return reached
    ? ok('mail', 'the mail server answers')
    : bad('mail', 'the mail server does not answer', 'Check SMTP_URL.');
}

export interface Stripe {
  /** Accounts by the state of their endpoint. */
  readonly endpoints: readonly { readonly status: string; readonly accounts: number }[];
}

export function aboutStripe({ endpoints }: Stripe): Finding {
  const failing = endpoints.filter(({ status }) => ['not_permitted', 'no_public_url', 'refused'].includes(status));
  const list = (rows: Stripe['endpoints']): string =>
    rows.map(({ status, accounts }) => `${accounts} ${status}`).join(', ');
  if (endpoints.length === 0) return ok('Stripe', 'no account uses it');
  if (failing.length === 0) return ok('Stripe', `endpoints: ${list(endpoints)}`);
  return bad(
    'Stripe',
    `endpoints: ${list(failing)}`,
    'Their sellers read why at Payments; no_public_url: set PUBLIC_URL. Payments are looked up meanwhile.',
  );
}

export const aboutUnverified = (accounts: number): Finding =>
  accounts === 0
    ? ok('addresses', 'all are verified')
    : note(
        'addresses',
        `${accounts} accounts have not verified theirs: they send nothing of their own`,
        'Their owners find the letter’s link in their mail.',
      );

export const aboutSettings = (warnings: readonly string[]): Finding[] =>
  warnings.length === 0
    ? [ok('settings', 'none is ignored or dangerous')]
    : warnings.map((text) => bad('settings', text, 'docs/settings.md'));

/** As it is printed, a line for each and one for what to do. */
export function linesOf(findings: readonly Finding[]): string[] {
  const marks = { ok: 'ok  ', note: 'note', bad: 'BAD ' } as const;
  return findings.flatMap(({ about, state, text, remedy }) => [
    `${marks[state]}  ${about}: ${text}`,
    ...(remedy === undefined ? [] : [`      ${remedy}`]),
  ]);
}
