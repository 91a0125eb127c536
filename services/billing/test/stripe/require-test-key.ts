/* Ends with 1 and a sentence unless STRIPE_TEST_KEY is a key of a Stripe account's test mode: `npm run stripe:check` begins with it. */
import { testKeyProblem } from './test-key.ts';

const problem = testKeyProblem(process.env.STRIPE_TEST_KEY);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
