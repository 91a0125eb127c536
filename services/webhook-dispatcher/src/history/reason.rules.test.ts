import { expect, test } from 'vitest';
import { endReasons } from '../deliveries/end-reasons.rules.ts';
import { type ReasonEndpoint, type ReasonFacts, reasonText } from './reason.rules.ts';

const at = '2026-01-15T12:00:00.000Z';
const endpoint: ReasonEndpoint = {
  ...{ hasUrl: true, active: true, isRecovering: false, switchedOffReason: null },
  ...{ switchedOffAt: null, failing: null },
};
const facts: ReasonFacts = {
  ...{ status: 'pending', reasonCode: null, event: 'order.paid', attempts: 0, nextAttemptAt: at, isDue: true },
  ...{ isTestSend: false, inRecovery: false, endpoint, isAutomation: false, lastFailure: null, warning: null },
  ...{ waitReason: null, perSecond: 0 },
};
const off = (switchedOffReason: string | null): ReasonEndpoint => ({
  ...{ ...endpoint, active: false, switchedOffReason, switchedOffAt: at },
});

test.each<[string, Partial<ReasonFacts>, RegExp]>([
  [
    'over the rate of its host',
    { waitReason: 'host_rate', perSecond: 100 },
    /at most 100 deliveries a second to one host/,
  ],
  [
    'while the mail server is away',
    { waitReason: 'mail_server' },
    /^Waits for the mail server, which could not be reached/,
  ],
  ['delivered at once', { status: 'delivered', attempts: 1 }, /^Delivered at the first attempt\.$/],
  [
    'its automation was removed',
    { status: 'canceled', reasonCode: 'removed', endpoint: null, isAutomation: true },
    /^Not sent: the automation was removed while this waited\.$/,
  ],
  [
    'given up at the first attempt',
    { status: 'failed', reasonCode: 'attempts_used', attempts: 1 },
    /^Given up after 1 attempt\.$/,
  ],
  ['delivered later', { status: 'delivered', attempts: 3 }, /^Delivered at attempt 3\.$/],
  [
    'delivered to a login page',
    { status: 'delivered', attempts: 1, warning: 'The server answered with a login page.' },
    /^Delivered at the first attempt\. The server answered with a login page\.$/,
  ],
  [
    'dropped with its automation, which a 410 switched off',
    { status: 'canceled', reasonCode: 'discarded', attempts: 1, endpoint: off('gone'), isAutomation: true },
    /the automation was switched off while this waited, because its URL answered 410 \(gone\)\.$/,
  ],
  ['in flight', { status: 'sending', attempts: 1 }, /^Is being sent now: attempt 2\.$/],
  ['due', {}, /first attempt, which is due/],
  [
    'waiting',
    { isDue: false, attempts: 2, lastFailure: 'No.' },
    /^Attempt 3 follows at .*\. The last one failed: No\.$/,
  ],
  ['held by the breaker', { endpoint: { ...endpoint, failing: { since: at, attempts: 5 } } }, /one request at a time/],
  ['one failure is no breaker', { endpoint: { ...endpoint, failing: { since: at, attempts: 1 } } }, /which is due/],
  ['part of a recovery', { inRecovery: true }, /after fresh events/],
  ['no URL', { status: 'held', endpoint: { ...endpoint, hasUrl: false, active: false } }, /no URL is connected/],
  [
    'off',
    { status: 'held', endpoint: off('seller') },
    /the endpoint is off since 2026-01-15T12:00:00\.000Z\. It is held/,
  ],
  ['gone', { status: 'held', endpoint: off('gone') }, /because it answered 410/],
  ['failing', { status: 'held', endpoint: off('failing') }, /nothing was delivered for five days/],
  [
    'gone, after an attempt',
    { status: 'held', endpoint: off('gone'), attempts: 1, lastFailure: 'No.' },
    /^Sent no further: the endpoint is off .* 410 \(gone\)\. It is held for 30 days\. The last attempt failed: No\.$/,
  ],
  [
    'off between two attempts of an automation',
    { status: 'held', endpoint: off('seller'), isAutomation: true, attempts: 1 },
    /^Run no further: the automation is off/,
  ],
  [
    'after a recovery',
    { status: 'held', endpoint: { ...endpoint, isRecovering: true } },
    /a recovery sends what was held/,
  ],
  [
    'given up for now',
    {
      ...{ status: 'held', reasonCode: 'endpoint_failing', attempts: 12, lastFailure: 'No.' },
      endpoint: { ...endpoint, failing: { since: at, attempts: 36 } },
    },
    /^Given up after 12 attempts, because nothing has reached the endpoint since 2026.*: it is sent again .* The last attempt failed: No\.$/,
  ],
  [
    'given up, and its release canceled',
    { status: 'held', reasonCode: 'endpoint_failing', attempts: 12 },
    /^Given up after 12 attempts, because nothing reached the endpoint while it was tried\. .* if you canceled that one, redeliver it/,
  ],
  [
    'given up for now, and off',
    { status: 'held', reasonCode: 'endpoint_failing', attempts: 12, endpoint: off('failing') },
    /^Sent no further: the endpoint is off/,
  ],
  ['held though on', { status: 'held' }, /waits to be released/],
  [
    'a test send that is held',
    { status: 'held', isTestSend: true, attempts: 1, endpoint: off('seller') },
    /^Sent no further: the endpoint is off since \S+\. Test sends are not sent again: when what is held is released, it is canceled\.$/,
  ],
  [
    'a test send that is held while a recovery sends the others',
    { status: 'held', isTestSend: true, attempts: 1, endpoint: { ...endpoint, isRecovering: true } },
    /^Sent no further: it was held while the endpoint was off\. Test sends are not sent again/,
  ],
  [
    'a test send that was given up for now',
    {
      ...{ status: 'held', isTestSend: true, reasonCode: 'endpoint_failing', attempts: 12 },
      endpoint: { ...endpoint, failing: { since: at, attempts: 36 } },
    },
    /^Given up after 12 attempts, because nothing has reached the receiver since \S+\. Test sends are not sent again/,
  ],
  ['an automation that is off', { status: 'held', endpoint: off(null), isAutomation: true }, /automation is off/],
  [
    'filtered',
    { status: 'filtered', reasonCode: 'filtered' },
    /^Not sent: .* was not set to take order\.paid\. It can/,
  ],
  [
    'filtered after an attempt, when what was held was released',
    { status: 'filtered', reasonCode: 'filtered', attempts: 1 },
    /^Sent no further: the endpoint was not set to take order\.paid\. It can/,
  ],
  [
    'an email pushed without a URL',
    {
      ...{ status: 'filtered', reasonCode: 'filtered', event: 'funnel.email.sync' },
      endpoint: { ...endpoint, hasUrl: false, active: false },
    },
    /^Not sent: no URL is connected, and texts for an email tool are not held until one is\. Send it again then\.$/,
  ],
  [
    'an email that was pushed before the URL, or that the filter left out',
    { status: 'filtered', reasonCode: 'filtered', event: 'funnel.email.sync' },
    /^Not sent: .* not set to take funnel\.email\.sync, or had no URL yet when it was sent\. It can be redelivered/,
  ],
  [
    'given up',
    { status: 'failed', reasonCode: 'attempts_used', attempts: 12, lastFailure: 'No.' },
    /after 12 attempts\. The last one failed: No\./,
  ],
  ['expired, never sent', { status: 'failed', reasonCode: 'expired' }, /^Never sent: it waited for 30 days/],
  ['expired', { status: 'failed', reasonCode: 'expired', attempts: 1 }, /waiting for 30 days, with 1 attempt\./],
  ['of an unverified account', { status: 'failed', reasonCode: 'unverified', attempts: 1 }, /address is not verified/],
  ['without an address', { status: 'failed', reasonCode: 'no_address', attempts: 1 }, /no address of a buyer/],
  ['refused', { status: 'failed', reasonCode: 'refused', attempts: 1 }, /refused for good/],
  ['removed', { status: 'canceled', reasonCode: 'removed' }, /^Not sent: the endpoint was removed/],
  ['discarded', { status: 'canceled', reasonCode: 'discarded', attempts: 2 }, /^Sent no further: you chose to drop/],
  ['a held test send', { status: 'canceled', reasonCode: 'test_send', attempts: 1 }, /^Sent no further: .* test sends/],
  [
    'dropped with its automation',
    { status: 'canceled', reasonCode: 'discarded', endpoint: off('gone'), isAutomation: true, attempts: 1 },
    /^Sent no further: the automation was switched off/,
  ],
])('%s says why in one line', (_, change, expected) => {
  const text = reasonText({ ...facts, ...change });
  expect(text).toMatch(expected);
  expect(text).not.toContain('\n');
});

test('every reason of an end has a line of its own', () => {
  const ends = { filtered: 'filtered', removed: 'canceled', discarded: 'canceled', test_send: 'canceled' } as const;
  const lines = endReasons.map((reasonCode) =>
    reasonText({ ...facts, reasonCode, status: reasonCode in ends ? ends[reasonCode as keyof typeof ends] : 'failed' }),
  );
  expect(new Set(lines).size).toBe(endReasons.length);
});
