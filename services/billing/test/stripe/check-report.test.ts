import { expect, test } from 'vitest';
import { reportOf } from './check-report.ts';

const about = { at: new Date('2026-11-28T23:00:00.000Z'), node: 'v24.1.0', stripe: '23.1.0', api: '2026-10-28.endive' };
const checked = { name: 'holds > a part is captured', state: 'passed', said: [] } as const;

test('the report says what was checked with which versions, and first what did not hold, in words of the check', () => {
  const failed = {
    ...checked,
    name: 'refunds > come back',
    state: 'failed',
    said: ['expected 1 to be 2', 'and more'],
  } as const;
  const skipped = {
    ...checked,
    name: 'banks > confirm',
    state: 'skipped',
    said: ['a bank’s page waits for a person'],
  } as const;
  expect(reportOf(about, [checked, skipped, failed])).toBe(`Check of the platform at Stripe, by npm run stripe:check
2026-11-28T23:00:00.000Z, Node v24.1.0, package stripe 23.1.0, API 2026-10-28.endive
1 held, 1 did not, 1 could not be checked

Did not hold
- refunds > come back
    expected 1 to be 2
    and more

Could not be checked
- banks > confirm
    a bank’s page waits for a person

Held
- holds > a part is captured
`);
});

test.each([
  ['Invalid API Key provided: sk_test_51Habc', 'Invalid API Key provided: sk_test_…'],
  ['key rk_live_abc and pk_test_def_', 'key rk_live_… and pk_test_…'],
  ['secret pi_1_secret_abc of whsec_abc', 'secret pi_1_secret_… of whsec_…'],
  ['to ada@example.com', 'to …@…'],
  ['at postgres://app:pw@127.0.0.1:5432/db', 'at postgres://…'],
])('a report may be sent: %s', (text, shown) => {
  const report = reportOf(about, [{ ...checked, state: 'failed', said: [text] }]);
  expect(report).toContain(`    ${shown}\n`);
});

test('a run without a test says so: nothing was checked', () => {
  expect(reportOf(about, [])).toContain('0 held, 0 did not, 0 could not be checked\n\nNothing was checked.\n');
});
