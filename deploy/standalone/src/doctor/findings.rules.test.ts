import { expect, test } from 'vitest';
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
  linesOf,
} from './findings.rules.ts';

const gigabyte = 1_073_741_824;
const now = Date.parse('2026-11-29T12:00:00Z');
const states = (...findings: { readonly state: string }[]) => findings.map(({ state }) => state);

test('what is fine is ok, and what breaks is bad with what to do', () => {
  expect(states(...[10, 3, 0.5].map((free) => aboutDisk(free * gigabyte)))).toEqual(['ok', 'note', 'bad']);
  expect(states(aboutClock('PostgreSQL', -40), aboutClock('PostgreSQL', 2_500))).toEqual(['ok', 'bad']);
  expect(states(...aboutReadiness({ status: 'ok' }))).toEqual(['ok']);
  expect(states(...aboutReadiness({ status: 'degraded', missing: ['metrics'], warnings: ['a copy'] }))).toEqual([
    'bad',
    'bad',
  ]);
  const backup = (at: string) => aboutBackup(new Date(at), '/backups', now);
  expect(states(backup('2026-11-28T02:30:00Z'), backup('2026-11-26T02:30:00Z'))).toEqual(['ok', 'bad']);
  expect(aboutBackup(undefined, '/backups', now)).toMatchObject({ state: 'bad', text: 'none in /backups' });
  expect(states(aboutMail(true, ''), aboutMail(undefined, '/emails'), aboutMail(false, ''))).toEqual([
    'ok',
    'note',
    'bad',
  ]);
  const endpoint = (status: string) => aboutStripe({ endpoints: [{ status, accounts: 2 }] });
  expect(states(aboutStripe({ endpoints: [] }), endpoint('active'), endpoint('no_public_url'))).toEqual([
    'ok',
    'ok',
    'bad',
  ]);
  expect(states(aboutUnverified(0), aboutUnverified(3))).toEqual(['ok', 'note']);
  expect(states(...aboutSettings([]), ...aboutSettings(['KEY_PEPPER: ignored']))).toEqual(['ok', 'bad']);
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
    aboutDailyJob({ finishedAt, problems: [], isScheduled: true, ...more }, now);
  expect(states(job('2026-11-28T10:01:00Z'), job('2026-11-28T09:59:00Z'), job(undefined))).toEqual(['ok', 'bad', 'ok']);
  expect(states(job(undefined, { isScheduled: false }))).toEqual(['note']);
  expect(job('2026-11-29T03:00:00Z', { problems: ['key_refused'] }).text).toContain('key_refused');
});

test('each finding is a line, and what to do is one below it', () => {
  expect(linesOf([aboutDisk(10 * gigabyte), aboutMail(false, '')])).toEqual([
    'ok    disk: 10.0 GB free',
    'BAD   mail: the mail server does not answer',
    '      Check SMTP_URL.',
  ]);
});
