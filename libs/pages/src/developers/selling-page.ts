import { html } from '../html.ts';
import { code, type DeveloperPage } from './layout.ts';
import { placeholderUrl } from './placeholder-url.ts';

/** A request with a key. */
const request = (path: string, body?: object, method = body === undefined ? 'GET' : 'POST'): string => {
  const implied = body === undefined ? 'GET' : 'POST';
  const sent = body === undefined ? '' : ` -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'`;
  return `curl ${method === implied ? '' : `-X ${method} `}${placeholderUrl}${path} -H "Authorization: Bearer $KEY"${sent}`;
};

const productId = 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg';
const orderId = 'ord_01kahv7w3xe5m8q2r6t9y0b4cd';
const paymentId = 'pmt_01kahv7w3xf7n9s3t7v0z2c6de';
const subscriptionId = 'sub_01kahv7w3xe5m8q2r6t9y0b4cd';

const discounts = html`<p>A code takes a percentage of the product’s own price off, or an amount of at most that price. Bumps, upsells and renewals
keep theirs. It may end at a time (<code>expiresAt</code>) or after so many uses (<code>maxUses</code>). Buyers type it, or
<a href="/developers/checkout#hosted">the link brings it</a>.</p>
${code('Shell', request(`/api/v1/products/${productId}/discounts`, { code: 'SPRING15', percentOff: 15, maxUses: 100 }))}
<p>An order has the discount as a line of its own, with a negative amount. <a href="/developers/reference/discounts">Discounts</a>.</p>`;

const refunds = html`<p>Look first at what a refund would give back, end and send; then give it that amount as <code>expectedCents</code>: if
another one would go back meanwhile, nothing does.</p>
${code('Shell', `${request(`/api/v1/orders/${orderId}/refund/preview`)}\n\n${request(`/api/v1/orders/${orderId}/refund`, { expectedCents: 6800 })}`)}
<p>It refunds every charge of the order, ends its subscription and takes the commission back; with <code>renewals</code> the renewals go back
too. A part goes back payment by payment, and leaves the order <code>paid</code>:</p>
${code('Shell', request(`/api/v1/payments/${paymentId}/refund`, { amountCents: 1900 }))}
<p>An order that you recorded yourself was paid elsewhere: no money moves for it here.</p>`;

const subscriptions = html`<p>A product with <code>"pricingType": "subscription"</code> renews each month or year. Renewals are charged by the daily job,
which a schedule runs once a day (<code>npm run daily</code>, or this request); to run it again is safe, because one period of a
subscription is charged once.</p>
${code('Shell', `${request('/api/v1/daily-runs/preview')}\n\n${request('/api/cron/daily', undefined, 'POST')}`)}
<p>The job charges renewals, retries declined cards after 3 days, ends a subscription after 4 failed attempts, reminds buyers of checkouts
that they left, and settles holds. What was due and why it waited is in <a href="/developers/reference/daily-job">its runs</a>.</p>
${code('Shell', request(`/api/v1/subscriptions/${subscriptionId}/cancel`, { at: 'period_end' }))}
<p>Sellers pause, resume and cancel; buyers too, in their portal, where the settings <code>portalPause</code> and
<code>portalCancel</code> allow it. <a href="/developers/reference/subscriptions">Subscriptions</a>.</p>`;

const rehearsals = html`<p>A test order has the full event stream, each event with <code>x-service-test: 1</code>; it charges nobody and is in no list
and no metric. Every checkout is one while the setting <code>testMode</code> is on, and an order that you record with
<code>"test": true</code>. The time of rehearsals moves on request, and never back:</p>
${code(
  'Shell',
  `${request('/api/v1/orders', { productSlug: 'watercolour-club', email: 'maya@example.com', paymentMethod: 'sim_renewal_declined', test: true })}\n\n${request('/api/v1/rehearsal/advance', { days: 366 })}`,
)}
<p>That is a year of declined renewals in seconds. <a href="/developers/reference/rehearsals">Rehearsals</a>.</p>`;

const affiliates = html`<p>An affiliate has a code. A sale whose link has <code>?ref=CODE</code>, or that you record with
<code>affiliateCode</code>, earns a commission, which is due after <code>commissionHoldDays</code>; a refund takes it back.</p>
${code(
  'Shell',
  request('/api/v1/affiliates', {
    code: 'ANNA',
    name: 'Anna Berg',
    email: 'anna@example.com',
    commissionPercent: 30,
    renewalMonths: 12,
  }),
)}
<p>Pay outside, then record it: what is due becomes paid, and <code>affiliate.paid</code> fires. No money moves here.</p>
${code('Shell', request('/api/v1/affiliates/ANNA/payouts', { expectedCents: 4200 }))}
<p><a href="/developers/reference/affiliates">Affiliates</a> have a statement, as CSV too.</p>`;

const metrics = html`<p>Revenue, orders, take rates, recurring revenue, refunds and conversion of one product, and of the account with that of
the span before. Amounts are in minor units. Each number explains itself: its formula, and the facts that add up to it.</p>
${code(
  'Shell',
  `${request(`/api/metrics/${productId}`)}\n\n${request(`/api/metrics/${productId}/explain?metric=revenueCents`).replace(/(https?:\S+)/, "'$1'")}`,
)}
<p>Test orders count in none. <a href="/developers/reference/metrics">Metrics</a>.</p>`;

const automations = html`<p>An automation sends an email to the buyer or to you, or a POST to a URL, when an event happens. Receipts and notices are
built in, and can be switched off or changed.</p>
${code(
  'Shell',
  request('/api/v1/automations', {
    name: 'Welcome',
    event: 'order.paid',
    productId,
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Welcome to {{product}}',
      body: 'Hello {{firstName}}, your access: {{accessUrl}}',
    },
  }),
)}
<p><code>POST /api/v1/automations/preview</code> shows a template with sample data. <a href="/developers/reference/automations">Automations</a>.</p>`;

const reminders = html`<p>The daily job sends a buyer who left an email at a checkout and did not pay one email with a link that brings the checkout
back, after <code>nudgeAfterMinutes</code>. None goes to who has bought since, or ended your reminders. Who has not finished is here:</p>
${code('Shell', request('/api/v1/checkouts'))}
<p>Where the setting <code>checkoutUrl</code> names a page of your own, the link leads there with <code>#restore={token}</code>; the page
sends the token to <code>POST /api/checkout/restore</code> when the buyer asks to go on.</p>`;

/** What sellers do beside selling, each with its request. */
export const sellingPage: DeveloperPage = {
  path: '/developers/selling',
  title: 'Selling',
  description:
    'Discounts, refunds, subscriptions, rehearsals, affiliates, metrics, automations and reminders, each with a request.',
  lead: html`<p class="lead">What a seller does with products and orders, and the request for it.</p>`,
  sections: [
    { id: 'discounts', title: 'Discounts', content: discounts },
    { id: 'refunds', title: 'Refunds', content: refunds },
    { id: 'subscriptions', title: 'Subscriptions and the daily job', content: subscriptions },
    { id: 'rehearsals', title: 'Rehearsals', content: rehearsals },
    { id: 'affiliates', title: 'Affiliates', content: affiliates },
    { id: 'metrics', title: 'Metrics', content: metrics },
    { id: 'automations', title: 'Automations', content: automations },
    { id: 'reminders', title: 'Reminders', content: reminders },
  ],
  kind: 'guide',
};
