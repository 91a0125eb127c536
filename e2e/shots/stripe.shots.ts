import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StripeStandIn } from '@app/billing/stripe-stand-in';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { createTestNats } from '@app/testing/nats';
import { afterAll, beforeAll, test } from 'vitest';
import { type Cluster, startClusterOn } from '../support/cluster.ts';
import { addProduct, type Seller, signUp } from '../support/seller.ts';
import { cardNumber, serveStripeJs, stripeApiOrigin, stripeOrigin } from '../support/stripe-js.ts';

/** What Stripe's own frame would show is that of its stand-in. */
const folder = join(import.meta.dirname, '../../.shots');
const secretKey = 'sk_live_shots';
let stripe: StripeStandIn;
let platform: Cluster<Awaited<ReturnType<typeof createTestNats>>>;
let seller: Seller;
let handle: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  stripe = await StripeStandIn.start({ nowMs: () => Date.now() });
  stripe.accept(secretKey, 'acct_shots');
  platform = await startClusterOn(await createTestNats(), { settings: { STRIPE_API_URL: stripe.url }, apart: [] });
  seller = await signUp(platform.baseUrl, 'Atelier Ada');
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
  const live = { secretKey, publishableKey: 'pk_live_shots' };
  await seller.call('PUT', '/api/v1/payment-processor', { body: { processor: 'stripe', live } });
  await addProduct(seller, 'course');
  const club = { name: 'Club', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  await seller.call('POST', '/api/v1/products', { body });
});
afterAll(async () => {
  await platform?.close();
  await stripe?.close();
});

type Page = Visit['page'];
const pay = (page: Page) => page.getByRole('button', { name: /^Pay \$/ }).first();
async function payWith(page: Page, card: string): Promise<void> {
  await page.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await cardNumber(page).fill(card);
  await pay(page).click();
}

interface State {
  readonly slug?: string;
  /** What becomes of requests of Stripe's script. */
  readonly script?: 'blocked' | 'waits';
  reach?(page: Page): Promise<unknown>;
}
const requested = (page: Page) => page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
const states: Readonly<Record<string, State>> = {
  loading: { script: 'waits' },
  'not-loaded': { script: 'blocked', reach: (page) => page.getByRole('button', { name: 'Try again' }).textContent() },
  fields: { reach: (page) => cardNumber(page).fill('') },
  subscription: { slug: 'club', reach: (page) => cardNumber(page).fill('') },
  incomplete: {
    reach: async (page) => {
      await payWith(page, '');
      await page.frameLocator('iframe').getByText('Your card number is incomplete.').textContent();
    },
  },
  refused: {
    reach: async (page) => {
      await payWith(page, 'refused');
      await page.getByText('Stripe cannot read this card.').textContent();
    },
  },
  declined: {
    reach: async (page) => {
      await payWith(page, 'card_chargeDeclined');
      await page.getByText('Your card was declined.').textContent();
    },
  },
  bank: { reach: async (page) => [await payWith(page, 'standin_leaves'), await requested(page)] },
  'bank-by-script': {
    reach: async (page) => {
      await payWith(page, 'standin_script_leaves');
      await requested(page);
      await page.getByRole('button', { name: 'Confirm at your bank' }).click();
    },
  },
  'another-card': {
    reach: async (page) => {
      await payWith(page, 'standin_leaves');
      await requested(page);
      await page.getByText('Pay with another card').click();
      await cardNumber(page).fill('');
    },
  },
  paid: {
    reach: async (page) => {
      await payWith(page, 'card_visa');
      await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    },
  },
};

test.each(Object.entries(states))('%s', async (name, { slug = 'course', script, reach }) => {
  for (const size of ['phone', 'desktop'] as const) {
    const origins = [stripeOrigin, stripeApiOrigin, new URL(stripe.url).origin];
    const { page, context } = await openVisit(platform.baseUrl, { size, origins, statuses: [404] });
    await serveStripeJs(context, stripe);
    if (script !== undefined) {
      await context.route(`${stripeOrigin}/endive/stripe.js`, (route) =>
        script === 'blocked' ? route.fulfill({ status: 404 }) : undefined,
      );
    }
    await page.goto(`/c/${handle}/${slug}`, { waitUntil: 'commit' });
    await pay(page).textContent();
    await reach?.(page);
    // A picture of more than the window would draw the frame's content as of another width.
    const { width = 0 } = page.viewportSize() ?? {};
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `stripe-${name}-${size}-${colorScheme}.png`) });
    }
  }
});
