/** What is wrong with a key for `npm run stripe:check`, which never moves money; undefined for a test key. It never has the key. */
export function testKeyProblem(key: string | undefined): string | undefined {
  if (key === undefined || key === '') return 'Set STRIPE_TEST_KEY to a secret key of Stripe’s test mode (sk_test_…).';
  if (/^(sk|rk)_test_\w+$/.test(key)) return undefined;
  if (/^(sk|rk)_live_/.test(key))
    return 'STRIPE_TEST_KEY is a live key: set it to one of Stripe’s test mode (sk_test_…).';
  return 'STRIPE_TEST_KEY is no secret key of Stripe’s test mode: those begin with sk_test_ or rk_test_.';
}
