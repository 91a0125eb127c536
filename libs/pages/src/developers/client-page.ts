import { html } from '../html.ts';
import * as samples from './client-samples.ts';
import { code, type DeveloperPage } from './layout.ts';
import { placeholderUrl } from './placeholder-url.ts';

const get = html`<p>This deployment serves a client of its own version: one file that imports nothing, for Node.js 20, Deno, Bun, workers and
browsers. Node.js runs it as it is from 22.18 on.</p>
${code('Shell', `curl -O ${placeholderUrl}/developers/client.ts`)}
<p>A method for each operation that a key, a buyer or anyone may call is named as in <a href="/developers/reference">the reference</a>.
Parameters of the path stand in its input, beside <code>query</code> and <code>body</code>.</p>`;

const lists = html`<p>Each list that is read page by page has a second method, <code>iterate…</code>, which reads them all.</p>
${code('TypeScript', samples.listing)}`;

const repeating = html`<p>What fails for now (no connection, 429, 503) is sent again, up to three times, after the seconds that the answer
names. Each <code>POST</code> has an <code>Idempotency-Key</code>, so that it is done once; give your own, and it is done once also when your program
begins anew.</p>
<p>A refusal is thrown as a <code>ProblemError</code> with the <a href="/developers/errors">code</a>, the fields at fault and the request’s id.</p>
${code('TypeScript', samples.recording)}
${code('TypeScript', samples.refunding)}`;

const events = html`<p><code>verify</code> checks a delivery and returns its event, told apart by <code>name</code>: each has the type of its payload. An
event that this file does not know yet is kept as <code>unknown</code>.</p>
${code('TypeScript', samples.receiving)}
<p>The log has the same events, in the order in which they were committed:</p>
${code('TypeScript', samples.following)}`;

const buyers = html`<p>Calls of a buyer take the secret of the checkout.</p>
${code('TypeScript', samples.selling)}`;

const listen = html`<p>In a checkout of the platform’s source, <code>npm run listen</code> posts the events of an account to a port of your machine,
signed as webhooks are and in the order of <a href="/developers/reference/webhooks#listEvents">the log</a>. It works with a deployment anywhere, and
needs no public address.</p>
${code('Shell', `BASE=${placeholderUrl} KEY=fnl_… npm run listen -- --to http://localhost:3001/hook`)}
<p>Without <code>BASE</code> and <code>KEY</code> it takes the first seller of <code>DATA_DIR</code>. It begins with what comes next, and after a
pause with what was missed meanwhile; <code>--all</code> begins with the oldest event that is kept, <code>--after evt_…</code> after that one. It
prints its signing secret, which stays the same, or signs with that of your endpoint (<code>--secret</code>). While your port does not answer,
events wait in order. Test sends are in no log, so it does not get them.</p>`;

const trigger = html`<p><code>npm run trigger</code> makes an event really happen, as a rehearsal, which charges nobody:</p>
${code('Shell', `BASE=${placeholderUrl} KEY=fnl_… npm run trigger -- order.paid`)}
<p>It records a test order, refunds it, pauses its subscription, or whatever the event needs. <code>payment.refunded</code> and
<code>upsell.accepted</code> need test mode; renewals need time to pass for all rehearsals of the account, which <code>--advance</code> allows.
What no rehearsal has (payouts, pushed emails, disputes) goes to the connected URLs as a sample.</p>`;

/** The typed client, and what brings events to a developer's machine. */
export const clientPage: DeveloperPage = {
  path: '/developers/client',
  title: 'Client',
  description:
    'A typed client in one file, which this deployment serves: lists as iterators, safe repetition, typed errors and events.',
  lead: html`<p class="lead"><a href="/developers/client.ts">client.ts</a> is a typed client of this deployment, in one file.</p>`,
  sections: [
    { id: 'get', title: 'Get it', content: get },
    { id: 'lists', title: 'Read lists', content: lists },
    { id: 'repeat', title: 'Repetition and errors', content: repeating },
    { id: 'events', title: 'Events', content: events },
    { id: 'buyers', title: 'Calls of buyers', content: buyers },
    { id: 'listen', title: 'Events on your machine', content: listen },
    { id: 'trigger', title: 'Make an event happen', content: trigger },
  ],
  kind: 'guide',
};
