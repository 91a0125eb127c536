import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fakeClock } from '@app/testing/fake-clock';
import { afterAll, describe, expect, test } from 'vitest';
import { checkAtStripe } from '../stripe/check-at-stripe.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';

describe('at what stands in for Stripe', () => {
  let standIn: StripeStandIn | undefined;
  afterAll(() => standIn?.close());
  checkAtStripe(async () => {
    const clock = fakeClock('2026-03-15T12:00:00.000Z');
    standIn = await StripeStandIn.start(clock);
    standIn.accept('sk_test_check');
    standIn.accept('rk_test_check');
    standIn.restrict('rk_test_check', ['dispute_read']);
    return {
      apiUrl: standIn.url,
      secretKey: 'sk_test_check',
      publishableKey: 'pk_test_check',
      restrictedKey: 'rk_test_check',
      perSecond: 1_000,
      nowMs: () => clock.nowMs(),
      wait: async (ms) => clock.advance(ms),
    };
  });
});

const script = join(import.meta.dirname, '../stripe/require-test-key.ts');
const { STRIPE_TEST_KEY: _, ...env } = process.env;

test.each([
  { key: {}, words: 'Set STRIPE_TEST_KEY to a secret key of Stripe’s test mode (sk_test_…).\n' },
  {
    key: { STRIPE_TEST_KEY: 'sk_live_shop' },
    words: 'STRIPE_TEST_KEY is a live key: set it to one of Stripe’s test mode (sk_test_…).\n',
  },
  {
    key: { STRIPE_TEST_KEY: 'pk_test_shop' },
    words: 'STRIPE_TEST_KEY is no secret key of Stripe’s test mode: those begin with sk_test_ or rk_test_.\n',
  },
])('a check without a test key ends with 1 and one sentence: $words', async ({ key, words }) => {
  const ended = promisify(execFile)(process.execPath, [script], { env: { ...env, ...key } });
  await expect(ended).rejects.toMatchObject({ code: 1, stdout: '', stderr: words });
});

test.each(['sk_test_shop', 'rk_test_shop'])('a check may run with %s', async (key) => {
  const ended = promisify(execFile)(process.execPath, [script], { env: { ...env, STRIPE_TEST_KEY: key } });
  expect(await ended).toEqual({ stdout: '', stderr: '' });
});
