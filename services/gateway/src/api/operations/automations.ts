import {
  type AutomationAction,
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  previewAutomation,
  revealAutomationSecret,
  rotateAutomationSecret,
  testAutomation,
  updateAutomation,
} from '@app/contracts/automations';
import { DomainError } from '@app/contracts/errors';
import { getProduct } from '@app/contracts/products';
import { z } from 'zod';
import { type Caller, forwardOperation } from '../forward-operation.ts';
import { type OperationCall, type OperationTypes, tagged, type UntaggedOperation } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { type AnyCall, sensitive } from '../sensitive-changes.ts';
import { revealOperation, rotation, signingSecret } from '../signing-secrets.ts';

const path = '/api/v1/automations';
const params = z.object({ automationId: pathId('automation', 'automation_not_found') });

/** A change of settings that the caller has just made is not with the service yet. */
const sellerOf = ({ actor: { settings } }: Caller) => {
  const { businessName, supportEmail, supportEmailVerified, email } = settings;
  return { account: { businessName, supportEmail, supportEmailVerified, email } };
};

export const automationOperations = tagged('Automations', [
  forwardOperation(listAutomations, {
    id: 'listAutomations',
    method: 'GET',
    path,
    summary: 'List automations, the built-in ones first',
    description:
      'Each with the event that starts it, and whether it is on. The built-in ones are the emails that every account begins with.',
    errors: [],
  }),
  sensitive(
    ofKnownProduct(
      forwardOperation(createAutomation, {
        id: 'createAutomation',
        audit: 'automation',
        method: 'POST',
        path,
        summary: 'Add an automation: when an event happens, send an email or POST to a URL',
        description:
          'A POST is a webhook like any other: the same payload, headers, attempts and checks of the address, signed with a secret ' +
          'of its own, which this answer shows once; `reveal-secret` shows it again. An email is text with fields of the payload. Its templates are data: a field ' +
          'is replaced by its value, as text, and nothing else happens.',
        secret: signingSecret,
        errors: ['webhook_url_refused', 'limit_reached'],
      }),
    ),
    ({ body }) => (postUrlIn(body) === null ? null : 'automation_url'),
  ),
  forwardOperation(getAutomation, {
    id: 'getAutomation',
    method: 'GET',
    path: `${path}/{automationId}`,
    summary: 'Read one automation',
    description:
      'With the event that starts it, what it sends where, and whether it is on. The secret of a POST is not shown.',
    params,
    errors: ['automation_not_found'],
  }),
  sensitive(
    ofKnownProduct(
      forwardOperation(updateAutomation, {
        id: 'updateAutomation',
        alsoScope: 'read',
        audit: 'automation',
        method: 'PATCH',
        path: `${path}/{automationId}`,
        summary: 'Change an automation, or switch it on or off',
        description:
          'Fields left out stay. The event stays, and so does whether it sends an email or a POST. Of a built-in automation ' +
          '`active` and the text of its email can be changed. What waits to be sent while it is switched off is dropped. A new URL ' +
          'switches a POST on again that is off because the former one was gone or failing, unless `active` is given.',
        params,
        errors: ['automation_not_found', 'webhook_url_refused'],
      }),
    ),
    changedPostUrl,
  ),
  forwardOperation(deleteAutomation, {
    id: 'deleteAutomation',
    audit: 'automation',
    method: 'DELETE',
    path: `${path}/{automationId}`,
    summary: 'Delete an automation of your own',
    description: 'What waits to be sent is dropped. A built-in automation is switched off instead.',
    params,
    errors: ['automation_not_found', 'invalid_transition'],
  }),
  forwardOperation(rotateAutomationSecret, {
    id: 'rotateAutomationSecret',
    alsoScope: 'read',
    audit: 'automation',
    method: 'POST',
    path: `${path}/{automationId}/rotate-secret`,
    summary: 'Replace the signing secret of an automation that POSTs',
    description: `${rotation} An automation that sends emails has none.`,
    params,
    secret: signingSecret,
    errors: ['automation_not_found', 'invalid_transition'],
  }),
  revealOperation(revealAutomationSecret, {
    id: 'revealAutomationSecret',
    audit: 'automation',
    path: `${path}/{automationId}/reveal-secret`,
    params,
    errors: ['automation_not_found', 'invalid_transition'],
  }),
  forwardOperation(previewAutomation, {
    id: 'previewAutomation',
    audit: false,
    method: 'POST',
    path: `${path}/preview`,
    summary: 'See the email that a template makes of sample data',
    description: 'Subject and body with the placeholders filled in, as text and as HTML. Nothing is sent or stored.',
    changesNothing: true,
    addedInput: sellerOf,
    errors: [],
  }),
  forwardOperation(testAutomation, {
    id: 'testAutomation',
    alsoScope: 'read',
    audit: false,
    method: 'POST',
    path: `${path}/{automationId}/test`,
    summary: 'Run an automation once with sample data',
    description:
      'An email goes to the address of the account itself, and to no buyer; its subject begins with `[Test]`. A ' +
      'POST goes to the URL with `x-service-test: 1`. It does not run while the automation is off.',
    params,
    addedInput: sellerOf,
    errors: ['automation_not_found', 'email_unavailable', 'invalid_transition'],
  }),
]);

/**
 * An operation whose body may name a product by `productId`, for a service that knows no products: catalog is queried
 * first. An automation of a product that is not there would never run, and no notification would say so.
 */
function ofKnownProduct<Id extends string, Types extends OperationTypes>(
  operation: UntaggedOperation<Id, Types>,
): UntaggedOperation<Id, Types> {
  return {
    ...operation,
    errors: [...operation.errors, 'unknown_product'],
    run: async (call) => {
      const { productId } = call.body as { readonly productId?: string | null };
      if (productId) await requireProduct(call, productId);
      return await operation.run(call);
    },
  };
}

/** @throws DomainError unknown_product, also for a product of another account */
async function requireProduct(
  { app, context }: OperationCall<unknown, unknown, unknown>,
  productId: string,
): Promise<void> {
  try {
    await app.requester.request(getProduct, { productId }, context);
  } catch (err) {
    if (!(err instanceof DomainError) || err.code !== 'product_not_found') throw err;
    throw new DomainError('unknown_product', `No product has the id "${productId}".`, [
      { field: 'productId', code: 'product_not_found', message: 'must be the id of a product of this account' },
    ]);
  }
}

/** The URL that an automation is given; null for one that sends an email. */
function postUrlIn(body: unknown): string | null {
  const { action } = body as { readonly action?: AutomationAction };
  return action?.type === 'post' ? action.url : null;
}

/** A POST that keeps its URL redirects nothing. */
async function changedPostUrl({ app, params: of, body, context }: AnyCall): Promise<'automation_url' | null> {
  const url = postUrlIn(body);
  if (url === null) return null;
  const { action } = await app.requester.request(getAutomation, of as z.output<typeof params>, context);
  return action.type === 'post' && action.url === url ? null : 'automation_url';
}
