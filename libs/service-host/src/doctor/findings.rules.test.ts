import { accountAtStripe } from '@app/contracts/payment-processors';
import { expect, test } from 'vitest';
import {
  aboutBackup,
  aboutClock,
  aboutDailyJob,
  aboutDisk,
  aboutEventAddress,
  aboutMail,
  aboutProxy,
  aboutReadiness,
  aboutSettings,
  aboutStripe,
  aboutUnverified,
  linesOf,
} from './findings.rules.ts';

const gigabyte = 1_073_741_824;
const now = Date.parse('2026-11-29T12:00:00Z');
const states = (...findings: { readonly state: string }[]) => findings.map(({ state }) => state);

test('what is fine is ok, and what breaks is bad with what to do', () => {
  expect(states(...[10, 3, 0.5].map((free) => aboutDisk(free * gigabyte)))).toEqual(['ok', 'note', 'bad']);
  expect(states(aboutClock('PostgreSQL', -40), aboutClock('PostgreSQL', 2_500))).toEqual(['ok', 'bad']);
  expect(states(...aboutReadiness({ status: 'ok' }, 'the log'))).toEqual(['ok']);
  expect(
    states(...aboutReadiness({ status: 'degraded', missing: ['metrics'], warnings: ['a copy'] }, 'the log')),
  ).toEqual(['bad', 'bad']);
  const backup = (at: string) => aboutBackup(new Date(at), '/backups', now);
  expect(states(backup('2026-11-28T02:30:00Z'), backup('2026-11-26T02:30:00Z'))).toEqual(['ok', 'bad']);
  expect(aboutBackup(undefined, '/backups', now)).toMatchObject({ state: 'bad', text: 'none in /backups' });
  expect(states(aboutMail(true, ''), aboutMail(undefined, '/emails'), aboutMail(false, ''))).toEqual([
    'ok',
    'note',
    'bad',
  ]);
  expect(states(aboutUnverified(0), aboutUnverified(3))).toEqual(['ok', 'note']);
  expect(states(...aboutSettings([]), ...aboutSettings(['KEY_PEPPER: ignored']))).toEqual(['ok', 'bad']);
});

test('one account is spoken of as one, and a warning leads to where it is explained', () => {
  expect(aboutUnverified(1).text).toBe('1 account has not verified its address: it sends nothing of its own');
  expect(aboutUnverified(2).text).toBe('2 accounts have not verified their addresses: they send nothing of their own');
  const [, warned] = aboutReadiness({ status: 'degraded', warnings: ['the disk is full'] }, 'app.log');
  expect(warned?.remedy).toContain('deploy/observability/runbooks.md');
});

test('a shop that others reach needs https, a proxy and its number', () => {
  const proxy = { publicUrl: 'https://shop.example', trustProxy: 1, isLoopbackHost: true, isPublic: true };
  expect(states(aboutProxy(proxy), aboutProxy({ ...proxy, trustProxy: 0 }))).toEqual(['ok', 'bad']);
  expect(aboutProxy({ ...proxy, publicUrl: 'http://shop.example' }).text).toContain('not https');
  expect(aboutProxy({ ...proxy, isLoopbackHost: false }).text).toContain('nobody but the proxy');
  const local = { ...proxy, publicUrl: undefined, isPublic: false };
  expect(states(aboutProxy({ ...local, trustProxy: 0 }), aboutProxy(local))).toEqual(['ok', 'bad']);
});

test('a daily job is late after 26 hours, and one that nobody starts is told', () => {
  const job = (finishedAt: string | undefined, more = {}) =>
    aboutDailyJob({ finishedAt, problems: [], dueAt: undefined, isScheduled: true, ...more }, now, 'Run it.');
  expect(states(job('2026-11-28T10:01:00Z'), job('2026-11-28T09:59:00Z'), job(undefined))).toEqual(['ok', 'bad', 'ok']);
  expect(states(job(undefined, { isScheduled: false }))).toEqual(['note']);
  expect(job('2026-11-29T03:00:00Z', { problems: ['key_refused'] }).text).toContain('key_refused');
  expect(job(undefined, { dueAt: new Date('2026-11-29T03:00:00.500Z') })).toMatchObject({
    ...{ state: 'bad', text: 'no daily run yet, though one was due at 2026-11-29T03:00Z', remedy: 'Run it.' },
  });
});

test('of accounts that sell through Stripe each state is told, with how many and whose, what is wrong first and with what to do', () => {
  const none = { states: [], last_event_at: null };
  expect(aboutStripe(none)).toMatchObject([{ state: 'ok', text: 'no account sells through it' }]);
  const found = aboutStripe({
    states: [
      { state: 'fine', accounts: 40, examples: ['acc_1', 'acc_2', 'acc_3'] },
      { state: 'no_live_key', accounts: 1, examples: ['acc_4'] },
      { state: 'key_refused', accounts: 5, examples: ['acc_5', 'acc_6', 'acc_7'] },
    ],
    last_event_at: '2026-11-29T11:59:00.000Z',
  });
  expect(found.map(({ state, text }) => [state, text])).toEqual([
    ['bad', expect.stringContaining('5 accounts (acc_5, acc_6, acc_7, …): Stripe refuses the key')],
    ['note', expect.stringContaining('1 account (acc_4): no key for live payments')],
    ['ok', expect.stringMatching(/^40 accounts: /)],
    ['ok', 'the last event came at 2026-11-29T11:59:00.000Z'],
  ]);
  for (const state of accountAtStripe.options) {
    const [first] = aboutStripe({ ...none, states: [{ state, accounts: 1, examples: ['acc_1'] }] });
    expect([state, first?.remedy !== undefined]).toEqual([state, state !== 'fine']);
  }
});

test('the address for events is fine where this deployment refuses an unsigned one, and bad where somebody else answers', () => {
  const of = (status: number, code?: string) => aboutEventAddress('https://shop.example/x', { status, code });
  expect(
    states(of(400, 'malformed_request'), of(400), of(200), of(302), of(502), aboutEventAddress('', undefined)),
  ).toEqual(['ok', 'bad', 'bad', 'bad', 'bad', 'note']);
});

test('each finding is a line, and what to do is one below it', () => {
  expect(linesOf([aboutDisk(10 * gigabyte), aboutMail(false, '')])).toEqual([
    'ok    disk: 10.0 GB free',
    'BAD   mail: the mail server does not answer',
    '      Check SMTP_URL.',
  ]);
});
