import { DomainError } from '@app/contracts/errors';
import { selfTestLongestMs, selfTestWebhook, sendTestWebhook } from '@app/contracts/webhook-tests';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  putWebhookEndpoint,
  readWebhookEndpoint,
  removeWebhookEndpoint,
  revealWebhookSecret,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '@app/contracts/webhooks';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { sensitive } from '../sensitive-changes.ts';
import { revealOperation, rotation, signingSecret } from '../signing-secrets.ts';

const theOne = '/api/v1/webhook-endpoint';
const all = '/api/v1/webhook-endpoints';
const one = `${all}/{endpointId}`;
const params = z.object({ endpointId: pathId('webhookEndpoint', 'webhook_endpoint_not_found') });
const afterwards = 'The answer holds the signing secret, this once; `reveal-secret` shows it again.';
const unlessGiven =
  'Left out, `events` is null (every event), `description` empty, `headers` none and `active` true. The first URL of an ' +
  'account takes over what was held before there was one, and leaves it held unless `held` is given.';
const stays =
  'What is left out stays as it is: `events`, `description`, `headers` and `active`. A given list or given headers ' +
  'replace the former ones as a whole: `{}` removes all headers, null takes every event again. A new URL keeps the ' +
  'secret, and switches an endpoint on again that is off because the former URL was gone or failing, unless `active` is ' +
  'given. Switching off holds what comes, for 30 days; switching on sends all that is held, also from before the first ' +
  'URL (but no pushed emails), unless `held` says otherwise. What `events` does not take when it is sent is filtered ' +
  'instead. `held` may be given at any time; an endpoint that is off takes `discard` only. Headers of HTTP itself and of ' +
  'deliveries (`host`, `content-*`, `webhook-*`, …) are refused.';

const removing =
  'What waits for it is canceled. With the first URL that is also what was held before it: `recover` with `all` sends it ' +
  'to another. Later events are held, if no other URL is connected.';

export const endpointOperations = tagged('Webhooks', [
  forwardOperation(getWebhookEndpoint, {
    id: 'getWebhookEndpoint',
    method: 'GET',
    path: theOne,
    summary: 'Read the connected webhook URL',
    description:
      'The one that `putWebhookEndpoint` connects, with whether it is on, since when it fails and what is held for it. Its secret is not shown.',
    errors: ['webhook_endpoint_not_found'],
  }),
  sensitive(
    forwardOperation(putWebhookEndpoint, {
      id: 'putWebhookEndpoint',
      alsoScope: 'read',
      audit: 'webhook',
      method: 'PUT',
      path: theOne,
      summary: 'Connect a webhook URL, or change the connected one',
      description: `Connecting it: ${afterwards} ${unlessGiven}\n\nChanging it: ${stays}`,
      secret: signingSecret,
      errors: ['webhook_url_refused', 'limit_reached'],
    }),
    ({ app, body, context }) => changedUrl(body, () => app.requester.request(getWebhookEndpoint, {}, context)),
  ),
  forwardOperation(deleteWebhookEndpoint, {
    id: 'deleteWebhookEndpoint',
    audit: 'webhook',
    method: 'DELETE',
    path: theOne,
    summary: 'Disconnect the webhook URL',
    description: removing,
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(listWebhookEndpoints, {
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: all,
    summary: 'List the webhook URLs, the one of `/api/v1/webhook-endpoint` first',
    description: 'Each with whether it is on, since when it fails and what is held for it. Secrets are not shown.',
    errors: [],
  }),
  sensitive(
    forwardOperation(createWebhookEndpoint, {
      id: 'createWebhookEndpoint',
      audit: 'webhook',
      method: 'POST',
      path: all,
      summary: 'Connect a further webhook URL',
      description: `Each gets its own copy of every event. ${afterwards} ${unlessGiven} An account has at most 20.`,
      secret: signingSecret,
      errors: ['webhook_url_refused', 'limit_reached'],
    }),
    () => 'webhook_url',
  ),
  forwardOperation(readWebhookEndpoint, {
    id: 'readWebhookEndpoint',
    method: 'GET',
    path: one,
    summary: 'Read one webhook URL',
    description: 'With whether it is on, since when it fails and what is held for it. Its secret is not shown.',
    params,
    errors: ['webhook_endpoint_not_found'],
  }),
  sensitive(
    forwardOperation(updateWebhookEndpoint, {
      id: 'updateWebhookEndpoint',
      alsoScope: 'read',
      audit: 'webhook',
      method: 'PATCH',
      path: one,
      summary: 'Change a webhook URL',
      description: `${stays} \`url\` may be left out, too.`,
      params,
      errors: ['webhook_endpoint_not_found', 'webhook_url_refused'],
    }),
    (call) =>
      changedUrl(call.body, () =>
        call.app.requester.request(readWebhookEndpoint, call.params as z.output<typeof params>, call.context),
      ),
  ),
  forwardOperation(removeWebhookEndpoint, {
    id: 'removeWebhookEndpoint',
    audit: 'webhook',
    method: 'DELETE',
    path: one,
    summary: 'Disconnect a webhook URL by its id',
    description: removing,
    params,
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(rotateWebhookSecret, {
    id: 'rotateWebhookSecret',
    alsoScope: 'read',
    audit: 'webhook',
    method: 'POST',
    path: `${one}/rotate-secret`,
    summary: 'Replace the signing secret',
    description: rotation,
    params,
    secret: signingSecret,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
  }),
  revealOperation(revealWebhookSecret, {
    id: 'revealWebhookSecret',
    audit: 'webhook',
    path: `${one}/reveal-secret`,
    params,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
  }),
  forwardOperation(sendTestWebhook, {
    id: 'sendTestWebhook',
    alsoScope: 'read',
    audit: false,
    method: 'POST',
    path: `${one}/test`,
    summary: 'Send a sample of an event to one endpoint',
    description:
      'A realistic payload with new ids, signed as usual and marked `x-service-test: 1`, whatever the endpoint’s filter. It ' +
      'is tried again like any delivery, and is in no list of events. The answer is the delivery as it begins: read it ' +
      'again to see what came of it.',
    params,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
  }),
  defineOperation({
    id: 'selfTestWebhook',
    audit: false,
    method: 'POST',
    path: `${one}/self-test`,
    summary: 'Test whether an endpoint’s receiver checks what it gets',
    description:
      'Sends four copies of a sample, one after the other: a good one, one with a wrong signature, one that was signed ten ' +
      'minutes ago, and the good one once more under the same `webhook-id`. The answer says in plain words what the receiver ' +
      'wrongly accepted or refused; a notice in Recent activity keeps it. Each copy may take as long as a delivery. An ' +
      'endpoint that is off can be tested too, and one test of an endpoint runs at a time.',
    auth: 'account',
    scope: 'write',
    params,
    response: selfTestWebhook.output,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
    longestMs: selfTestLongestMs,
    run: ({ app, params: { endpointId }, context }) =>
      app.requester.requestBytes(selfTestWebhook, { endpointId }, context),
  }),
]);

/** An endpoint that keeps its URL redirects nothing. @param read the endpoint as it is; refused where there is none */
async function changedUrl(body: unknown, read: () => Promise<{ readonly url: string }>): Promise<'webhook_url' | null> {
  const { url } = body as { readonly url?: string };
  if (url === undefined) return null;
  try {
    return (await read()).url === url ? null : 'webhook_url';
  } catch (err) {
    if (err instanceof DomainError && err.code === 'webhook_endpoint_not_found') return 'webhook_url';
    throw err;
  }
}
