import { webhookEventNames } from '@app/contracts/webhooks';
import { type Html, html } from '../html.ts';
import { joined } from '../text.ts';
import { code } from './layout.ts';
import * as samples from './samples.ts';

const eventNames = joined(
  webhookEventNames.map((name) => html`<code>${name}</code>`),
  ', ',
);

/** What the developer page says about webhooks: how to receive, check, repeat, catch up and test them. */
export const webhooks: Html = html`<p>Connect one URL, and the account’s events are sent there the moment they happen. The answer
that connects it holds the signing secret, this once. Further URLs, each with a filter, headers and a secret of its own, are made with
<code>POST /api/v1/webhook-endpoints</code>.</p>
${code('Shell', samples.connectWebhook)}
${code('What arrives', samples.delivery)}
<p>The events are ${eventNames}; <a href="/developers/openapi.json">openapi.json</a> has the payload of each. Payloads may gain
fields. Events of test orders carry <code>x-service-test: 1</code>.</p>
<h3>Check the signature</h3>
<p>Anyone may send to your URL. Check each delivery before you believe it, with the body as it came: a JSON parser changes it.
The signatures are those of Standard Webhooks, so a library does it, <code>standardwebhooks</code> or <code>svix</code>; both
refuse what was signed more than five minutes ago.</p>
${code('Node.js, with a library', samples.libraryCheck)}
<p>By hand: <code>webhook-signature</code> is <code>v1,</code> and the Base64 of HMAC-SHA256 over
<code>webhook-id.webhook-timestamp.body</code>, keyed with the secret after <code>whsec_</code>. There may be more than one
signature, apart by a space: one that matches is enough. While a secret is replaced, with
<code>POST /api/v1/webhook-endpoints/{endpointId}/rotate-secret</code>, deliveries carry those of the new and of the previous
secret, for 24 hours unless you say otherwise.</p>
${code('Node.js', samples.nodeCheck)}
${code('Python', samples.pythonCheck)}
<h3>Answers and retries</h3>
<p>Any 2xx within 15 seconds acknowledges the event; redirects are not followed. Otherwise it is sent again, the same
bytes under the same <code>webhook-id</code>, after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, 24 h and 24 h
(each ±20 %, and later when you answer <code>Retry-After</code>); then it is given up, or held
until your URL takes something again when nothing at all has reached it meanwhile. An event can arrive twice: answer 2xx to
an id that you have seen, and do nothing. A URL that answers 410, or that took nothing for five days, is switched
off, until you connect its new URL or switch it on.</p>
<h3>Nothing is dropped</h3>
<p>Every event is stored, also while no URL is connected or its endpoint is off: what it would get is <code>held</code> for 30
days. Switching it on sends all that is held, oldest first; <code>"held": "orders"</code> sends that of orders only,
<code>"held": "discard"</code> none of it. Connecting the first URL leaves older events held until <code>held</code> says what
becomes of them. Only a pushed email is not held while there is no URL: push again once there is one.</p>
<p><code>GET /api/v1/webhook-deliveries</code> has every event on its way to every endpoint, with a <code>reason</code> in one
line: why it was not sent, or what its receiver did with it. <code>GET /api/v1/webhook-deliveries/{deliveryId}</code> has each
attempt, how long its steps took, what came back, and what to do about it.</p>
<h3>After a fault of yours</h3>
<p>Send one delivery again with <code>POST /api/v1/webhook-deliveries/{deliveryId}/redeliver</code>, or all that failed since a
time with <code>POST /api/v1/webhook-endpoints/{endpointId}/recover</code>: in order, at a bounded rate, under the ids of
before. Or read what you missed: <code>GET /api/v1/events</code> is the log of the account’s events in the order in which they
were committed, so that nothing is ever added before an event that you have read. Its ids are those of the webhooks: drop
those that you have seen. Store the last id that you have read there and go on from it, not from the last webhook’s: webhooks
come in no order, so one that failed may be older than one that arrived. To begin, leave <code>after</code> out, or take the
id of an event from well before the fault.</p>
${code('Node.js', samples.catchUp)}
<h3>What else events start</h3>
<p>An automation sends an email to the buyer or to you, or a POST to a URL, for each event of a name, of one product or of all:
<code>POST /api/v1/automations</code>. Receipts and notices are built in where the deployment has a mail server. Runs are tried
again and shown in <code>GET /api/v1/activity</code> as deliveries are.</p>
<h3>Try it</h3>
<p><code>POST /api/v1/webhook-endpoints/{endpointId}/test</code> sends a sample of any event. The self-test checks whether your
receiver checks what it gets: it sends a good copy, one with a wrong signature, one of ten minutes ago and the good one once
more.</p>
${code('Shell', samples.selfTest)}`;
