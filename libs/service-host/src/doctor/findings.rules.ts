import { dayMs, hourMs } from '@app/contracts/durations';
import type { AccountAtStripe, StripeExamination } from '@app/contracts/payment-processors';

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

/** What only another look shows, from where the doctor stands. */
export const notSeenHere = (about: string, how: string): Finding => note(about, 'is not seen from here', how);

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

/** @param logs where the log of a service is read */
export function aboutReadiness({ status, missing = [], warnings = [] }: Ready, logs: string): Finding[] {
  return [
    missing.length === 0
      ? ok('services', 'all answer')
      : bad('services', `${status}: ${missing.join(', ')}`, `Look at ${logs} for the service that is missing.`),
    ...warnings.map((warning) =>
      bad('warning', warning, 'deploy/README.md or deploy/observability/runbooks.md has a section for it.'),
    ),
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
  /** When a run was due since the first account was made; undefined where none was. */
  readonly dueAt: Date | undefined;
  readonly isScheduled: boolean;
}

/** @param run what to do to run it now */
export function aboutDailyJob(
  { finishedAt, problems, dueAt, isScheduled }: DailyJob,
  nowMs: number,
  run: string,
): Finding {
  if (finishedAt === undefined) {
    if (!isScheduled)
      return note('daily job', 'has never run, and DAILY_AT is off', `${run} Let a scheduler do it each day.`);
    return dueAt === undefined
      ? ok('daily job', 'has not run yet: it will at DAILY_AT')
      : bad('daily job', `no daily run yet, though one was due at ${dueAt.toISOString().slice(0, 16)}Z`, run);
  }
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

const byState: Readonly<Record<AccountAtStripe, readonly ['ok' | 'note' | 'bad', text: string, remedy?: string]>> = {
  fine: ['ok', 'their keys are accepted, and their endpoints are there and on'],
  no_live_key: [
    'note',
    'no key for live payments is stored: they sell nothing',
    'Their sellers store one at Payments.',
  ],
  key_unreadable: [
    'bad',
    'the stored key cannot be opened: nothing is charged',
    'Give billing the SECRETS_KEY of before as SECRETS_KEY_PREVIOUS (deploy/README.md, Rotate secrets), or let their sellers store their keys again.',
  ],
  key_refused: [
    'bad',
    'Stripe refuses the key: nothing is charged',
    'Their sellers read so in Recent activity; they store another key at Payments.',
  ],
  not_permitted: [
    'note',
    'the key may not have webhook endpoints: outcomes are looked up, and known later',
    'Their sellers give it “Webhook Endpoints: write” at Stripe, and store it again at Payments.',
  ],
  no_answer: [
    'bad',
    'Stripe gave no answer',
    'Does billing reach the internet? Its log has the reason; status.stripe.com says whether it is Stripe.',
  ],
  no_public_url: [
    'bad',
    'Stripe does not reach this deployment: outcomes are looked up, and known later',
    'Set PUBLIC_URL to the https address of the shop.',
  ],
  no_endpoint: [
    'bad',
    'no endpoint at Stripe leads here: outcomes are looked up, and known later',
    'It is made within a day, or at once when their sellers store their keys again at Payments. One that a seller made by hand has another address.',
  ],
  endpoint_disabled: [
    'bad',
    'Stripe switched the endpoint off, because it failed for days',
    'Mend what is said of the address for events. The endpoint is switched on within a day; one that a seller made, by them, at Stripe.',
  ],
  no_events: [
    'bad',
    'no event has come since the last charge',
    'Their sellers see in Stripe’s Dashboard, under Webhooks, what the endpoint answered. Does the proxy pass POST /api/processors/stripe?',
  ],
  not_asked: [
    'note',
    'Stripe was not asked: there was no time for so many, this is a copy, or the clock is moved',
    'Look again where it is none of these.',
  ],
};

/** The states of accounts that sell through Stripe, each with how many they are. What is wrong comes first. */
export function aboutStripe({ states, last_event_at: lastEventAt }: StripeExamination): Finding[] {
  if (states.length === 0) return [ok('Stripe', 'no account sells through it')];
  const of = (wanted: Finding['state']): Finding[] =>
    states.flatMap(({ state, accounts, examples }) => {
      const [rank, text, remedy] = byState[state];
      if (rank !== wanted) return [];
      const ids = [...examples, ...(accounts > examples.length ? ['…'] : [])].join(', ');
      const whose = `${accounts} ${accounts === 1 ? 'account' : 'accounts'}${rank === 'ok' ? '' : ` (${ids})`}`;
      return [{ about: 'Stripe', state: rank, text: `${whose}: ${text}`, ...(remedy !== undefined && { remedy }) }];
    });
  const events = lastEventAt === null ? 'no event has come yet' : `the last event came at ${lastEventAt}`;
  return [...of('bad'), ...of('note'), ...of('ok'), ok('Stripe', events)];
}

/**
 * What an unsigned event was answered at the address that Stripe sends to: this deployment refuses it with 400 and the code of its own.
 * @param answer undefined where nobody answered, which may be so from here alone
 */
export function aboutEventAddress(
  url: string,
  answer: { readonly status: number; readonly code: string | undefined } | undefined,
): Finding {
  if (answer === undefined)
    return note(
      'Stripe',
      `${url} is not reached from here`,
      `From outside, curl -X POST ${url} must be answered with 400 and malformed_request.`,
    );
  return answer.status === 400 && answer.code === 'malformed_request'
    ? ok('Stripe', 'the address for events answers')
    : bad(
        'Stripe',
        `${url} is answered with ${answer.status}, and not by this deployment`,
        'Let the proxy pass POST /api/processors/ to the gateway as it is, without a log-in, a redirect or a challenge.',
      );
}

export const aboutUnverified = (accounts: number): Finding =>
  accounts === 0
    ? ok('addresses', 'all are verified')
    : note(
        'addresses',
        accounts === 1
          ? '1 account has not verified its address: it sends nothing of its own'
          : `${accounts} accounts have not verified their addresses: they send nothing of their own`,
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
