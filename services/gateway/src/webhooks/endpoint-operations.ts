import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  putWebhookEndpoint,
  readWebhookEndpoint,
  removeWebhookEndpoint,
  revealWebhookSecret,
  revealWebhookSecretBody,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '@app/contracts/webhooks';
import { z } from 'zod';
import { forwardOperation } from '../operations/forward-operation.ts';
import { defineOperation } from '../operations/operation.ts';
import { pathId } from '../operations/path-params.ts';
import { checkPassword } from '../sessions/check-password.ts';

const tag = 'Webhooks';
const theOne = '/api/v1/webhook-endpoint';
const all = '/api/v1/webhook-endpoints';
const one = `${all}/{endpointId}`;
const params = z.object({ endpointId: pathId('webhookEndpoint', 'webhook_endpoint_not_found') });
const secret = {
  name: 'secret',
  notice:
    'The secret was shown once, in the first answer. If that got lost, show it again with the password, or rotate it.',
};
const afterwards = 'The answer holds the signing secret, this once; `reveal-secret` shows it again.';
const unlessGiven =
  'Left out, `events` is null (every event), `description` empty, `headers` none and `active` true. The first URL of an ' +
  'account takes over what was held before there was one, and leaves it held unless `held` is given.';
const stays =
  'What is left out stays as it is: `events`, `description`, `headers` and `active`. A given list or given headers ' +
  'replace the former ones as a whole: `{}` removes all headers, null takes every event again. A new URL keeps the ' +
  'secret, and switches an endpoint on again that is off because the former URL was gone or failing, unless `active` is ' +
  'given. Switching off holds what comes, for 30 days; switching on sends all that is held, also from before the first ' +
  'URL (but no pushed emails), unless `held` says otherwise. `held` may be given at any time; an endpoint that is off ' +
  'takes `discard` only. Headers of HTTP itself and of deliveries (`host`, `content-*`, `webhook-*`, …) are refused.';

const removing =
  'What waits for it is canceled. With the first URL that is also what was held before it: `recover` with `all` sends it ' +
  'to another. Later events are held, if no other URL is connected.';

export const endpointOperations = [
  forwardOperation(getWebhookEndpoint, {
    id: 'getWebhookEndpoint',
    method: 'GET',
    path: theOne,
    tag,
    summary: 'Read the connected webhook URL',
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(putWebhookEndpoint, {
    id: 'putWebhookEndpoint',
    method: 'PUT',
    path: theOne,
    tag,
    summary: 'Connect a webhook URL, or change the connected one',
    description: `Connecting it: ${afterwards} ${unlessGiven}\n\nChanging it: ${stays}`,
    secret,
    errors: ['webhook_url_refused', 'limit_reached'],
  }),
  forwardOperation(deleteWebhookEndpoint, {
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: theOne,
    tag,
    summary: 'Disconnect the webhook URL',
    description: removing,
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(listWebhookEndpoints, {
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: all,
    tag,
    summary: 'List the webhook URLs, the one of `/api/v1/webhook-endpoint` first',
    errors: [],
  }),
  forwardOperation(createWebhookEndpoint, {
    id: 'createWebhookEndpoint',
    method: 'POST',
    path: all,
    tag,
    summary: 'Connect a further webhook URL',
    description: `Each gets its own copy of every event. ${afterwards} ${unlessGiven} An account has at most 20.`,
    secret,
    errors: ['webhook_url_refused', 'limit_reached'],
  }),
  forwardOperation(readWebhookEndpoint, {
    id: 'readWebhookEndpoint',
    method: 'GET',
    path: one,
    tag,
    summary: 'Read one webhook URL',
    params,
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(updateWebhookEndpoint, {
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a webhook URL',
    description: `${stays} \`url\` may be left out, too.`,
    params,
    errors: ['webhook_endpoint_not_found', 'webhook_url_refused'],
  }),
  forwardOperation(removeWebhookEndpoint, {
    id: 'removeWebhookEndpoint',
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Disconnect a webhook URL by its id',
    description: removing,
    params,
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(rotateWebhookSecret, {
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: `${one}/rotate-secret`,
    tag,
    summary: 'Replace the signing secret',
    description:
      'Until the overlap ends, `webhook-signature` has two signatures, separated by a space: of the new secret and of the ' +
      'previous one. A receiver that checks either goes on working. Rotating again before that is refused, because it ' +
      'would end a secret that may still be checked; with `overlapHours: 0` it ends both at once, as for one that leaked. ' +
      'If an answer got lost, `reveal-secret` shows the secret. The answer holds the new secret, this once.',
    params,
    secret,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
  }),
  defineOperation({
    id: 'revealWebhookSecret',
    method: 'POST',
    path: `${one}/reveal-secret`,
    tag,
    summary: 'Show the signing secret again',
    description: 'For a person who is logged in and gives the password once more. No key can do this.',
    auth: 'session',
    params,
    body: revealWebhookSecretBody,
    response: revealWebhookSecret.output,
    changesNothing: true,
    errors: ['webhook_endpoint_not_found', 'invalid_credentials'],
    run: async ({ app, actor, params, body, address, context }) => {
      await checkPassword(app, actor, body.password, address);
      return await app.requester.request(revealWebhookSecret, params, context);
    },
  }),
];
