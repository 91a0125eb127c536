import { timePasses } from '@app/testing/time-passes';
import { checkAtStripe } from './check-at-stripe.ts';

checkAtStripe(async () => ({
  apiUrl: process.env.STRIPE_API_URL ?? 'https://api.stripe.com',
  secretKey: process.env.STRIPE_TEST_KEY,
  publishableKey: process.env.STRIPE_TEST_PUBLISHABLE_KEY,
  restrictedKey: process.env.STRIPE_TEST_RESTRICTED_KEY,
  // A sandbox takes 25.
  perSecond: 20,
  nowMs: Date.now,
  wait: (ms) => timePasses(ms),
}));
