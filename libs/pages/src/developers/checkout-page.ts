import { html } from '../html.ts';
import { joined } from '../text.ts';
import { code, type DeveloperPage, definitions } from './layout.ts';
import { placeholderUrl } from './placeholder-url.ts';
import * as samples from './samples.ts';

const ownPage = html`<p>A buyer pays through a checkout, which your own page drives without a key: these endpoints
answer pages of any origin (CORS) and read no cookie. Open one with your handle, from
<code>GET /api/v1/settings</code>, and the product’s slug:</p>
${code('Shell', samples.openCheckout)}
<p>The <code>secret</code> is shown this once; every later call sends it as <code>x-checkout-secret</code>. Keep it in
the buyer’s link, after <code>#</code>, and they can come back. Without it the checkout is as unknown as one that never
was: <a href="/developers/errors#checkout_not_found">404</a>.</p>
<p>Prices are ours: each answer has the <code>lines</code> and <code>totalCents</code> that the buyer pays. Show them,
then pay with the processor’s token for the card; the number never comes here. Send the <code>quote</code> of the
answer that you showed: when its lines, total or renewal are no longer right the answer is <a href="/developers/errors#price_changed">409</a> and nothing is
charged. Nor is it when the same email has bought the product already, from the same browser, address or card: ask the buyer
and send <code>confirmRepeat</code> (<a href="/developers/errors#already_bought">409</a>).</p>
<p>Stripe’s fields show Apple Pay and Google Pay on your page once the address of your page is the setting <code>checkoutUrl</code>: the
platform registers its domain, and the page serves Stripe’s file for Apple. Wallets open their sheet for a click alone, so call
<code>elements.submit()</code> first; where the total changed while the sheet was open, make no payment of its token.</p>
${code('Shell', samples.payCheckout)}
${definitions([
  [html`<code>paid</code>`, html`Done. Read the checkout: <code>accessUrl</code> is where the buyer goes on.`],
  [html`<code>authorized</code>`, html`The card is held. Offer <code>upsell</code>, then send the decision.`],
  [
    html`<code>requires_action</code>`,
    html`If your page sent <code>confirmsByScript</code> and there is no <code>action</code>, <code>continue</code> has a
      <code>clientSecret</code> for Stripe’s <code>handleNextAction</code>, which shows the bank over your page; then
      <code>continue</code>. Else send the buyer to <code>action.url</code>; once they are back, <code>continue</code>. Or
      <code>pay</code> with another card, where <code>anotherCard</code> says so.`,
  ],
  [html`<code>processing</code>`, html`Not known yet. Check with <code>continue</code> every few seconds.`],
  [html`<code>declined</code>`, html`Nothing was charged. Let the buyer try another card.`],
  [html`<code>refunded</code>, <code>expired</code>`, html`Over. Open another checkout.`],
])}
<p>Double clicks, a second tab, lost answers: repeat the call, and you get the outcome of the payment that there is, never a
second charge. With an <code>Idempotency-Key</code> a repeated request gets the first final answer byte for byte: take a new
key for a new attempt. A checkout can be tried ten times; many declined attempts from one address, or at one account, end in
<a href="/developers/errors#rate_limited">429</a> for ten minutes.</p>
<p>What was tried, what the processor said and what happens next stands at <code>GET /api/v1/payments</code>, and with
each order at <code>GET /api/v1/orders/{orderId}</code>. Tokens of the simulated processor
are <a href="#test-cards">test cards</a>.</p>`;

const hosted = html`<p>Every live product has a page at <code>${placeholderUrl}/c/{handle}/{slug}</code>: bumps, discount codes, the card,
the upsell, and a receipt, in the buyer’s formats. Your handle is in <code>GET /api/v1/settings</code>; a former handle or slug leads on
to the present one. The page works without script.</p>
<p>The address may say more:</p>
${definitions([
  [html`<code>email</code>`, html`Fills the field of the email address in.`],
  [html`<code>discount</code>`, html`Applies a discount code, as if the buyer had typed it.`],
  [html`<code>ref</code>`, html`The code of the affiliate who sent the buyer; a cookie keeps it.`],
  [
    html`<code>utm_source</code>, <code>utm_medium</code>, <code>utm_campaign</code>, <code>utm_term</code>, <code>utm_content</code>`,
    html`Where the buyer comes from: at most 200 characters each, kept with the order.`,
  ],
])}
${code('Address', `${placeholderUrl}/c/your-handle/watercolour-course?discount=SPRING15&ref=ANNA&utm_source=newsletter`)}
<p>Buyers look after what they bought at <code>${placeholderUrl}/p/{handle}</code>: receipts, cards, cancellations. The settings
<code>accentColor</code>, <code>termsUrl</code>, <code>refundPolicyUrl</code> and the logo make the pages yours.</p>`;

const testCards = html`<p>The simulated processor moves no money. Its cards are names: on the hosted page you choose one, your own page sends it as
<code>paymentMethod</code>.</p>
${definitions(
  [
    ['sim_ok', 'Succeeds, now and at every renewal.'],
    ['sim_declined, sim_insufficient_funds', 'Declined; another attempt may succeed.'],
    ['sim_lost_card, sim_expired_card', 'Declined for good.'],
    [
      'sim_requires_action, sim_action_refused, sim_action_ignored',
      'The bank wants the buyer to confirm: given, refused, never decided.',
    ],
    ['sim_renewal_declined', 'Succeeds, and declines every renewal.'],
    ['sim_renewal_requires_action', 'Succeeds; renewals want a confirmation, on the card page.'],
    [
      'sim_slow, sim_timeout_after',
      'Takes a while; or its answer gets lost, and the payment counts once all the same.',
    ],
    ['sim_refund_declined, sim_refund_fails', 'Succeeds; its refunds are declined, or fail an hour later.'],
    ['sim_disputed', 'Succeeds; the bank disputes it, and wins after a week.'],
  ].map(
    ([names = '', meaning = '']) =>
      [
        html`${joined(
          names.split(', ').map((name) => html`<code>${name}</code>`),
          ', ',
        )}`,
        html`${meaning}`,
      ] as const,
  ),
)}
<p>With Stripe’s test keys, Stripe’s own test cards work in test mode.</p>`;

/** How buyers pay: on our pages, or on the seller's own. */
export const checkoutPage: DeveloperPage = {
  path: '/developers/checkout',
  title: 'Checkout',
  description: 'How buyers pay: on the hosted checkout, or on a page of your own.',
  lead: html`<p class="lead">A buyer pays through a checkout: on our page, or on one of your own.</p>`,
  sections: [
    { id: 'hosted', title: 'The hosted checkout', content: hosted },
    { id: 'test-cards', title: 'Test cards', content: testCards },
    { id: 'own-page', title: 'On a page of your own', content: ownPage },
  ],
  kind: 'guide',
};
