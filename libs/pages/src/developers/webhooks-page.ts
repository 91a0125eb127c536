import { webhookEventNames } from '@app/contracts/webhooks';
import { html } from '../html.ts';
import { joined } from '../text.ts';
import { eventPath, eventsPath } from './addresses.ts';
import { code, type DeveloperPage } from './layout.ts';
import * as samples from './samples.ts';

const eventNames = joined(
  webhookEventNames.map((name) => html`<a href="${eventPath(name)}"><code>${name}</code></a>`),
  ', ',
);

const connect = html`<p>Connect one URL, and the account’s events are sent there the moment they happen. The answer
that connects it holds the signing secret, this once. Further URLs, each with a filter, headers and a secret of its own, are made with
<code>POST /api/v1/webhook-endpoints</code>.</p>
${code('Shell', samples.connectWebhook)}
${code('What arrives', samples.delivery)}
<p>This is a delivery to try your check on: with the secret <code>${samples.vector.secret}</code> its signature is right, five minutes
around its timestamp.</p>
<p>The events are ${eventNames}; <a href="${eventsPath}">the reference</a> has each with its whole payload. Payloads may gain
fields. Events of test orders carry <code>x-service-test: 1</code>.</p>`;

const signature = html`<p>Anyone may send to your URL. Check each delivery before you believe it, with the body as it came: a JSON parser changes it.
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
${code('PHP', samples.phpCheck)}
${code('Ruby', samples.rubyCheck)}
${code('Go', samples.goCheck)}`;

const retries = html`<p>Any 2xx within 15 seconds acknowledges the event; redirects are not followed. Otherwise it is sent again, the same
bytes under the same <code>webhook-id</code>, after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, 24 h and 24 h
(each ±20 %, and later when you answer <code>Retry-After</code>); then it is given up, or held
until your URL takes something again when nothing at all has reached it meanwhile. An event can arrive twice: answer 2xx to
an id that you have seen, and do nothing. A URL that answers 410, or that took nothing for five days, is switched
off, until you connect its new URL or switch it on.</p>`;

const held = html`<p>Every event is stored, also while no URL is connected or its endpoint is off: what it would get is <code>held</code> for 30
days. Switching it on sends all that is held, oldest first; <code>"held": "orders"</code> sends that of orders only,
<code>"held": "discard"</code> none of it. Connecting the first URL leaves older events held until <code>held</code> says what
becomes of them. Only a pushed email is not held while there is no URL: push again once there is one.</p>
<p><code>GET /api/v1/webhook-deliveries</code> has every event on its way to every endpoint, with a <code>reason</code> in one
line: why it was not sent, or what its receiver did with it. <code>GET /api/v1/webhook-deliveries/{deliveryId}</code> has each
attempt, how long its steps took, what came back, and what to do about it.</p>`;

const recover = html`<p>Send one delivery again with <code>POST /api/v1/webhook-deliveries/{deliveryId}/redeliver</code>, or all that failed since a
time with <code>POST /api/v1/webhook-endpoints/{endpointId}/recover</code>: in order, at a bounded rate, under the ids of
before. Or read what you missed: <code>GET /api/v1/events</code> is the log of the account’s events in the order in which they
were committed, so that nothing is ever added before an event that you have read. Its ids are those of the webhooks: drop
those that you have seen. Store the last id that you have read there and go on from it, not from the last webhook’s: webhooks
come in no order, so one that failed may be older than one that arrived. To begin, leave <code>after</code> out, or take the
id of an event from well before the fault.</p>
${code('Node.js', samples.catchUp)}`;

const automations = html`<p>An automation sends an email to the buyer or to you, or a POST to a URL, for each event of a name, of one product or of all:
<code>POST /api/v1/automations</code>. Receipts and notices are built in where the deployment has a mail server. Runs are tried
again and shown in <code>GET /api/v1/activity</code> as deliveries are.</p>`;

const test = html`<p><code>POST /api/v1/webhook-endpoints/{endpointId}/test</code> sends a sample of any event. The self-test checks whether your
receiver checks what it gets: it sends a good copy, one with a wrong signature, one of ten minutes ago and the good one once
more.</p>
${code('Shell', samples.selfTest)}`;

/** How to receive, check, repeat, catch up and test webhooks. */
export const webhooksPage: DeveloperPage = {
  path: '/developers/webhooks',
  title: 'Webhooks',
  description: 'How to receive events, check their signatures, catch up on what was missed, and test your receiver.',
  lead: html`<p class="lead">What happens on the account is sent to your URL, signed, until it is acknowledged.</p>`,
  sections: [
    { id: 'connect', title: 'Connect a URL', content: connect },
    { id: 'signature', title: 'Check the signature', content: signature },
    { id: 'retries', title: 'Answers and retries', content: retries },
    { id: 'held', title: 'Nothing is dropped', content: held },
    { id: 'recover', title: 'After a fault of yours', content: recover },
    { id: 'automations', title: 'What else events start', content: automations },
    { id: 'test', title: 'Try it', content: test },
  ],
  kind: 'guide',
};
