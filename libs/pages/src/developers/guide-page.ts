import { limits } from '@app/contracts/common';
import { type Html, html } from '../html.ts';
import { code, type DeveloperPage, definitions } from './layout.ts';
import { placeholderUrl } from './placeholder-url.ts';
import * as samples from './samples.ts';

/** How to begin, and what holds for every request. @param requestsPerMinute 0: no limit */
export function guidePage(requestsPerMinute: number): DeveloperPage {
  return {
    path: '/developers',
    title: 'Developer guide',
    description:
      'How programs sell, read payments and metrics, and receive webhooks: keys, errors, limits, and every operation.',
    lead: html`<p class="lead">Products, funnels, orders and metrics of one seller, over HTTP and JSON. Every
request acts on the account that owns the key. The base address of this deployment is <code>${placeholderUrl}</code>;
<a href="/developers/openapi.json">openapi.json</a> describes every endpoint for machines.</p>`,
    sections: [
      { id: 'quick-start', title: 'Quick start', content: quickStart },
      { id: 'authentication', title: 'Authentication and scopes', content: authentication },
      { id: 'idempotency', title: 'Idempotency', content: idempotency },
      { id: 'errors', title: 'Errors', content: errors },
      { id: 'paging', title: 'Paging', content: paging },
      { id: 'downloads', title: 'Downloads', content: downloads },
      { id: 'concurrent-changes', title: 'Concurrent changes', content: concurrentChanges },
      { id: 'limits', title: 'Rate limits and sizes', content: rateLimits(requestsPerMinute) },
      { id: 'checkout', title: 'Checkout for buyers', content: checkout },
      { id: 'selling', title: 'Selling', content: selling },
      { id: 'webhooks', title: 'Webhooks', content: webhooks },
      { id: 'mcp', title: 'MCP', content: mcp },
      { id: 'endpoints', title: 'Endpoints', content: endpoints },
      { id: 'versions', title: 'Versions', content: versions },
      { id: 'changelog', title: 'Changelog', content: changelog },
    ],
    kind: 'guide',
  };
}

const quickStart = html`<p>From nothing to a verified webhook, in one shell. It needs curl and, for the receiver, Node.js; every command
runs as it stands. A deployment begun with <code>npm start</code> has an account and a key ready, in
<code>.data/credentials.json</code>: <code>export BASE=${placeholderUrl} KEY=fnl_…</code>, and go on with the product.</p>
<h3 id="sign-up">1. Sign up</h3>
${code('Shell', samples.signUp)}
<p>The session is in <code>cookies.txt</code>. A link comes by email; until it is opened the account sends no emails itself.</p>
<h3 id="first-key">2. Make a key</h3>
<p>A key is shown once. What makes one confirms the password first.</p>
${code('Shell', samples.firstKey)}
<h3 id="first-product">3. Make a product</h3>
${code('Shell', samples.firstProduct)}
<h3 id="first-link">4. Share its link</h3>
<p>The checkout is at your handle and the product’s slug. Open it in a browser and buy something: a deployment begun with
<code>npm start</code> takes <a href="/developers/checkout#test-cards">test cards</a> until you choose a payment processor. On any other,
choose one first (<code>PUT /api/v1/payment-processor</code>), or rehearse with test cards
(<code>PATCH /api/v1/settings</code> with <code>"testMode": true</code>).</p>
${code('Shell', samples.firstLink)}
<h3 id="first-sale">5. Record a sale</h3>
<p>Or record an order that was paid elsewhere. It is in the list at once.</p>
${code('Shell', samples.firstSale)}
<h3 id="first-webhook">6. Receive it</h3>
<p>Connect a URL, switched off for now; the answer has its signing secret. Until then the sale is held, and nothing is lost.</p>
${code('Shell', samples.firstWebhook)}
<p>The receiver checks the signature, prints what came, and ends.</p>
${code('Shell', samples.receiver)}
<p>Switch the URL on, and the sale arrives: <code>genuine: {"event":"order.paid",…}</code>.</p>
${code('Shell', samples.firstDelivery)}
<p>A deployment on another machine reaches public addresses only. There
<a href="/developers/client#listen"><code>npm run listen</code></a> brings events to your own port.</p>`;

const authentication = html`<p>Send the key with every request: <code>Authorization: Bearer fnl_…</code>. A missing,
unknown, expired or revoked key gets one and the same <a href="/developers/errors#unauthorized">401</a>. A logged-in
browser session is accepted wherever a key is.</p>
<p>A key begins with <code>fnl_</code>, 32 letters and digits follow, then 6 of a checksum:
<code>fnl_[0-9A-Za-z]{38}</code>. It is shown once, when it is made. Replace it with
<code>POST /api/v1/api-keys/{keyId}/rotate</code>: the old one works on for up to 7 days. A revoked key stops working
within one second.</p>
${definitions([
  [html`<code>read</code>`, html`Everything that changes nothing.`],
  [html`<code>write</code>`, html`Products, funnels, orders, affiliates, webhooks and settings.`],
  [html`<code>money</code>`, html`The daily job, refunds and the payment processor.`],
])}
<p>A key made without <code>scopes</code> has all of them. What it lacks is refused with
<a href="/developers/errors#insufficient_scope">403</a>. Only a person who is logged in makes keys; a key can rotate itself.</p>
<p>What redirects money or data (another payment processor or its keys, a new URL of a webhook or an automation, a key, another
address) needs the person of a session once more: <code>POST /api/auth/confirm</code> within the last 15 minutes, else
<a href="/developers/errors#password_required">403</a>. Keys do what their scopes say. The owner gets an email about each, whoever did it.</p>`;

const idempotency = html`<p>Send <code>Idempotency-Key</code> (1 to 255 visible characters, your own) with a
<code>POST</code>, and repeating it is harmless: for 30 days the same key with the same body gets the first answer
again, byte for byte, with <code>idempotent-replayed: true</code>. The same key with another body, or from another API
key, is refused with <a href="/developers/errors#idempotency_key_reused">422</a>; while the first request is running, with
<a href="/developers/errors#idempotency_key_in_use">409</a> and when to retry. When a connection breaks or the answer is a 5xx, send the
request again with the same key: the work is done once.</p>
<p>Only what took effect is kept. After a refusal the key is free: put the request right, or the product that it names,
and send it again under the same key.</p>
<p>Secrets are shown once. When the request that made an API key is repeated, the answer has
<code>secret_notice</code> in place of <code>key</code>; if the first answer got lost, rotate the key.</p>
<p>Without a key, two requests are two orders.</p>`;

const errors = html`<p>Success is <code>200</code>. Everything else is a problem document (RFC 9457). Rely on
<code>code</code>, which never changes its meaning; <code>detail</code> is for people. <a href="/developers/errors">All
codes</a> are on their own page.</p>
${code('Answer', samples.problemSample)}
<p>Each of <code>errors</code> names a field, a code and what is wrong with it; at most 50 are named. Fields and query
parameters that are not known are refused, so that a typo is never passed over.</p>
<p>Every answer carries <code>x-request-id</code>, yours when you sent one. Send us that id and we find the request.</p>`;

const downloads = html`<p>Orders, subscriptions and an affiliate’s statement come as CSV too, whole and with the filters of their lists:
<code>GET /api/v1/orders/export</code> with <code>?status=paid&amp;timeZone=Europe/Berlin</code>. Amounts are decimals, with their currency in a column of its own;
times are those of <code>timeZone</code>, UTC unless given. Text that a spreadsheet would take for a formula begins with an apostrophe. The file
is made while it is sent: a connection that ends without the end of the response has not brought all of it.</p>`;

const concurrentChanges = html`<p>Products, bumps, upsells, emails, discounts, settings and the payment processor have a <code>version</code>, which is their
<code>ETag</code> too: <code>"3"</code>. A <code>PATCH</code> or <code>PUT</code> with <code>If-Match: "3"</code> changes version 3 alone: when there is a newer
one it changes nothing and answers 412 <code>version_changed</code>. Without the header it changes whatever version there is.</p>`;

const paging = html`<p>Lists answer <code>{ "data": […] }</code>. Products are listed whole, oldest first; all
others answer the latest ${limits.listMax}, newest first. With <code>?limit=1…${limits.listMax}</code> or
<code>?before=&lt;id&gt;</code> every list pages back, newest first: <code>has_more</code> says whether more follow, and the
last id is the next <code>before</code>. Ids sort by the time they were made; a <code>before</code> that no longer matches
the filters is a position in the list all the same, and one that your account does not have is refused. A list that was cut at ${limits.listMax}, without a <code>limit</code>, says <code>has_more</code> too, except the orders.</p>`;

function rateLimits(perMinute: number): Html {
  const limit =
    perMinute === 0
      ? html`<p>This deployment sets no rate limit.</p>`
      : html`<p>${perMinute} requests a minute for an account, over all its keys and sessions. 60 may come at once; of
more, those that come faster than twice that pace are queued. An address without a valid key has 60 a minute.
Checkout pages and <code>/api/checkout</code> have 600 a minute for each address, apart from these. Answers carry
<code>ratelimit-limit</code>, <code>ratelimit-remaining</code> and <code>ratelimit-reset</code> (seconds), and the same as
<code>ratelimit</code> and <code>ratelimit-policy</code>; beyond the limit comes
<a href="/developers/errors#rate_limited">429</a> with <code>retry-after</code> in seconds. Login has a
limit of its own: 10 attempts a minute with one email from one address, and 3 an hour while others guess.</p>`;
  return html`${limit}
<p>A body may have ${limits.bodyBytes / 1024} KB, an email’s text ${limits.emailBodyBytes / 1024} KB, a name
${limits.name} characters, an order ${limits.bumpIds} bumps. Money is an integer in minor units beside a lower-case
currency code; times are UTC with milliseconds.</p>`;
}

const checkout = html`<p><a href="/developers/checkout">Checkout</a> says how buyers pay, on our page or on one of your own.</p>`;

const selling = html`<p><a href="/developers/selling">Selling</a> has discounts, refunds, subscriptions, rehearsals, affiliates, metrics,
automations and reminders.</p>`;

const webhooks = html`<p><a href="/developers/webhooks">Webhooks</a> says how events reach you, and how to check them.</p>`;

const mcp = html`<p><a href="/developers/mcp">MCP</a> says how AI models reach the account.</p>`;

const endpoints = html`<p><a href="/developers/reference">The reference</a> has every endpoint with its fields, answer and errors, and
<a href="/developers/reference/events">every event</a> with its payload.</p>`;

const versions = html`<p>This is version 1.0.0 of the interface. Fields, endpoints, events and codes may be added at any time; none is
renamed, retyped or removed. Ignore fields, events and codes that you do not know.</p>
<h3 id="deprecation">Deprecation</h3>
<p>What is replaced goes on working. It is marked <code>deprecated</code> in <a href="/developers/openapi.json">openapi.json</a> and in
<a href="/developers/reference">the reference</a>, which say what to use instead. Names of MCP tools are the exception: a name of the
release before is called for one release more.</p>`;

const changelog = html`<h3 id="changes-0-3">Release 0.3</h3>
<ul>
<li><a href="/developers/reference">A reference</a> of every operation and event, and each page as Markdown.</li>
<li><a href="/developers/client">A typed client</a> of this version, <code>npm run listen</code> and <code>npm run trigger</code>.</li>
<li><code>POST /api/v1/orders/{orderId}/release</code> ends a held order without a charge; <code>order.expired</code> has a <code>reason</code>.</li>
<li><code>expectedCents</code> of refunds and payouts: another amount is <a href="/developers/errors#amount_changed">refused</a>.</li>
<li>A session confirms itself before it redirects money or data: <a href="/developers/errors#password_required"><code>password_required</code></a>.</li>
<li>Passkeys and one-time codes: <code>POST /api/auth/login</code> may answer <code>factorDue</code>, and <code>POST /api/auth/login/factor</code> goes on.</li>
<li><code>GET /api/v1/payments/{paymentId}</code>, <code>GET /api/v1/fees</code>, <code>GET /api/v1/audit-log</code>.</li>
<li>MCP asks before it moves money, deletes, or sends data somewhere new.</li>
</ul>`;
