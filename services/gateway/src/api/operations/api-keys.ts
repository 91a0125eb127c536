import { apiKeyResource, createApiKeyBody, createdApiKeyResource, rotateApiKeyBody } from '@app/contracts/accounts';
import { listOf, pageQueryOf } from '@app/contracts/common';
import { idSchema } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import { z } from 'zod';
import { createApiKey } from '../../identity/create-api-key.ts';
import { listApiKeys } from '../../identity/list-api-keys.ts';
import { revokeApiKey } from '../../identity/revoke-api-key.ts';
import { rotateApiKey } from '../../identity/rotate-api-key.ts';
import { defineOkOperation, defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { sensitive } from '../sensitive-changes.ts';

const params = z.object({ keyId: pathId('apiKey', 'api_key_not_found') });
const overlapHoursDefault = 24;
const secret = {
  name: 'key',
  notice: 'The key was shown once, in the first answer. If that got lost, rotate this key for another.',
};

export const apiKeyOperations = tagged('API keys', [
  defineOperation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/api/v1/api-keys',
    summary: 'List the account’s API keys, newest first',
    description: 'The latest 100. With `limit` or `before` it pages back, and says whether more follow.',
    auth: 'account',
    scope: 'read',
    query: pageQueryOf(idSchema('apiKey')),
    response: listOf(apiKeyResource),
    errors: [],
    run: ({ app, actor, query }) => listApiKeys(app.database, actor.accountId, query),
  }),
  sensitive(
    defineOperation({
      id: 'createApiKey',
      audit: 'api_key',
      method: 'POST',
      path: '/api/v1/api-keys',
      summary: 'Make an API key',
      description:
        'For a person who is logged in: a key can only rotate itself. The key is shown this once. Without `scopes` it gets all of them.',
      auth: 'session',
      body: createApiKeyBody,
      response: createdApiKeyResource,
      secret,
      errors: [],
      run: async ({ app, actor, body, context }) => {
        const scopes = [...new Set(body.scopes ?? actor.scopes)];
        const expiresAt = body.expiresAt == null ? null : new Date(body.expiresAt);
        if (expiresAt !== null && expiresAt <= app.clock.now()) {
          throw invalidField('expiresAt', 'must be in the future', 'in_the_past');
        }
        const wanted = { name: body.name, scopes, expiresAt };
        return await createApiKey(app, actor.accountId, context.commandId, wanted, actor);
      },
    }),
    () => 'api_key_made',
  ),
  defineOkOperation({
    id: 'revokeApiKey',
    audit: 'api_key',
    method: 'DELETE',
    path: '/api/v1/api-keys/{keyId}',
    summary: 'Revoke an API key',
    description: 'It stops working everywhere within one second.',
    auth: 'account',
    scope: 'write',
    params,
    changesAccess: true,
    errors: ['api_key_not_found'],
    run: ({ app, actor, params }) => revokeApiKey(app, actor.accountId, params.keyId),
  }),
  sensitive(
    defineOperation({
      id: 'rotateApiKey',
      audit: 'api_key',
      method: 'POST',
      path: '/api/v1/api-keys/{keyId}/rotate',
      summary: 'Replace an API key',
      description:
        'Answers with a new key of the same scopes and expiry; the old one goes on working for the overlap. A key rotates itself, and no other.',
      auth: 'account',
      scope: 'write',
      params,
      body: rotateApiKeyBody.optional(),
      response: createdApiKeyResource,
      secret,
      changesAccess: true,
      errors: ['api_key_not_found', 'invalid_transition'],
      run: async ({ app, actor, params, body, context }) => {
        const overlapHours = body?.overlapHours ?? overlapHoursDefault;
        return await rotateApiKey(app, actor, context.commandId, params.keyId, overlapHours);
      },
    }),
    () => 'api_key_replaced',
  ),
]);
