import { limits } from '@app/contracts/common';
import { type Html, html } from '../html.ts';
import { withCode } from '../text.ts';
import { code, type PageAssets, renderPage, type Section, table } from './layout.ts';
import { placeholderUrl } from './placeholder-url.ts';
import * as samples from './samples.ts';
import { webhooks } from './webhooks-section.ts';

/** What the page says of an operation. */
export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly auth: string;
  readonly scope?: string;
}

/** What the page says of an MCP tool. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly operation: Pick<ListedOperation, 'scope'>;
}

export interface GuideOptions {
  readonly operations: readonly ListedOperation[];
  readonly tools: readonly ListedTool[];
  readonly assets: PageAssets;
  /** 0: no limit. */
  readonly requestsPerMinute: number;
}

/** The developer page: how to begin, what holds for every request, and every endpoint. */
export function guidePage({ operations, tools, requestsPerMinute, assets }: GuideOptions): string {
  const sections: Section[] = [
    { id: 'quick-start', title: 'Quick start', content: quickStart },
    { id: 'authentication', title: 'Authentication and scopes', content: authentication },
    { id: 'idempotency', title: 'Idempotency', content: idempotency },
    { id: 'errors', title: 'Errors', content: errors },
    { id: 'paging', title: 'Paging', content: paging },
    { id: 'downloads', title: 'Downloads', content: downloads },
    { id: 'concurrent-changes', title: 'Concurrent changes', content: concurrentChanges },
    { id: 'limits', title: 'Rate limits and sizes', content: rateLimits(requestsPerMinute) },
    { id: 'checkout', title: 'Checkout for buyers', content: checkout },
    { id: 'webhooks', title: 'Webhooks', content: webhooks },
    { id: 'mcp', title: 'MCP', content: mcp(tools) },
    { id: 'endpoints', title: 'Endpoints', content: endpoints(operations) },
    { id: 'versions', title: 'Versions', content: versions },
  ];
  const lead = html`<p class="lead">Products, funnels, orders and metrics of one seller, over HTTP and JSON. Every
request acts on the account that owns the key. The base address of this deployment is <code>${placeholderUrl}</code>;
<a href="/developers/openapi.json">openapi.json</a> describes every endpoint for machines.</p>`;
  const description =
    'How programs sell, read payments and metrics, and receive webhooks: keys, errors, limits, and every operation.';
  return renderPage({ title: 'Developer guide', description, lead, sections, current: '/developers', assets });
}

const quickStart = html`<p>A deployment begun with <code>npm start</code> has a first key ready, in
<code>credentials.json</code>. Elsewhere, and for every other key, log in and make one with
<code>POST /api/v1/api-keys</code>; it is shown this once:</p>
${code('Shell', samples.firstKey)}
<p>Then:</p>
${code('Shell', samples.quickStart)}`;

const authentication = html`<p>Send the key with every request: <code>Authorization: Bearer fnl_…</code>. A missing,
unknown, expired or revoked key gets one and the same <a href="/developers/errors#unauthorized">401</a>. A logged-in
browser session is accepted wherever a key is.</p>
<p>A key begins with <code>fnl_</code>, 32 letters and digits follow, then 6 of a checksum:
<code>fnl_[0-9A-Za-z]{38}</code>. It is shown once, when it is made. Replace it with
<code>POST /api/v1/api-keys/{keyId}/rotate</code>: the old one works on for up to 7 days. A revoked key stops working
within one second.</p>
${table(
  'Scopes',
  ['Scope', 'Allows'],
  [
    [html`<code>read</code>`, html`Everything that changes nothing.`],
    [html`<code>write</code>`, html`Products, funnels, orders, affiliates, webhooks and settings.`],
    [html`<code>money</code>`, html`The daily job, refunds and the payment processor.`],
  ],
)}
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

const checkout = html`<p>A buyer pays through a checkout, which your own page drives without a key: these endpoints
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
${table(
  'Outcomes of pay, continue and upsell',
  ['Status', 'What to do'],
  [
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
  ],
)}
<p>Double clicks, a second tab, lost answers: repeat the call, and you get the outcome of the payment that there is, never a
second charge. With an <code>Idempotency-Key</code> a repeated request gets the first final answer byte for byte: take a new
key for a new attempt. A checkout can be tried ten times; many declined attempts from one address, or at one account, end in
<a href="/developers/errors#rate_limited">429</a> for ten minutes.</p>
<p>What was tried, what the processor said and what happens next stands at <code>GET /api/v1/payments</code>, and with
each order at <code>GET /api/v1/orders/{orderId}</code>. With the simulated processor the tokens are
<code>sim_ok</code>, <code>sim_declined</code>, <code>sim_requires_action</code> and others; no card is charged.</p>`;

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

const mcp = (
  tools: readonly ListedTool[],
) => html`<p>AI models reach the same account at <code>POST ${placeholderUrl}/api/mcp</code>, a Model Context
Protocol server over Streamable HTTP: revision 2026-07-28, and clients of 2025 that open with <code>initialize</code>.
The key goes into a fixed header; most clients are set up like this:</p>
${code('Client configuration', samples.mcpConfig)}
${code('Shell', samples.mcpRequest)}
<p>What no tool of the list does, <code>find</code> finds, and <code>read</code> or <code>write</code> calls: every operation that the
key may call, except those that show or take a key.</p>
<p>A key shows a client just the tools that its scopes allow: give a model a key with <code>read</code> and it can change
nothing. A model reads at most 20 KB of an answer: longer ones have their texts and lists cut, and say so; with
<code>full: true</code> a tool gives the whole.</p>
<p>What moves money, deletes, or sends buyers’ data somewhere is not done by the first call: it answers
<code>confirmation_required</code> with who, what, how much and where to, and <code>confirm: true</code> does it within 15 minutes.
A first call that brings <code>confirm: true</code> and the amount as <code>expectedCents</code> is done at once, and another amount is
<a href="/developers/errors#amount_changed">refused</a>. A client that declares elicitation shows its user the question. No tool shows a
signing secret. Refusals come back as results with <code>isError</code> and the <a href="/developers/errors">codes</a> of this
interface.</p>
${table(
  'MCP tools',
  ['Tool', 'Scope', 'What it does'],
  tools.map(({ name, operation, description }) => [
    html`<code>${name}</code>`,
    html`<code>${operation.scope ?? ''}</code>`,
    withCode(description),
  ]),
)}`;

/** What callers need where no scope is named. */
const needs: Readonly<Record<string, string>> = {
  public: 'nothing',
  visitor: 'nothing',
  buyer: 'the checkout’s secret',
};

function endpoints(operations: readonly ListedOperation[]): Html {
  const byTag = [...Map.groupBy(operations, ({ tag }) => tag)];
  return html`<p>A logged-in session may do all that a key may. Fields, answers and errors of each are in
<a href="/developers/openapi.json">openapi.json</a>.</p>
${byTag.map(
  ([tag, ofTag]) => html`<h3>${tag}</h3>
${table(
  `${tag}: operations`,
  ['Endpoint', 'Needs', 'What it does'],
  ofTag.map(({ method, path, summary, auth, scope }) => [
    html`<code class="endpoint"><b class="${method.toLowerCase()}">${method}</b> ${path}</code>`,
    scope === undefined ? html`${needs[auth] ?? 'a session'}` : html`<code>${scope}</code>`,
    withCode(summary),
  ]),
)}`,
)}`;
}

const versions = html`<p>This is version 1.0.0. Fields, endpoints, events and codes may be added at any time; none is
renamed, retyped or removed. Ignore fields that you do not know.</p>`;
