import type { RequestDefinition } from '@app/contracts/define';
import type { ErrorCode } from '@app/contracts/errors';
import { revealWebhookSecretBody, type signingSecrets } from '@app/contracts/webhooks';
import type { z } from 'zod';
import { checkPassword } from '../identity/check-password.ts';
import { defineOperation, type SecretField, type UntaggedOperation } from './operation.ts';

/** What endpoints and automations that POST have in common: a secret that signs, is rotated and can be shown again. */
export const signingSecret: SecretField = {
  name: 'secret',
  notice:
    'The secret was shown once, in the first answer. If that got lost, show it again with the password, or rotate it.',
};

/** The words of an operation that rotates such a secret. */
export const rotation =
  'Until the overlap ends, `webhook-signature` has two signatures, separated by a space: of the new secret and of the ' +
  'previous one. A receiver that checks either goes on working. Rotating again before that is refused, because it ' +
  'would end a secret that may still be checked; with `overlapHours: 0` it ends both at once, as for one that leaked. ' +
  'If an answer got lost, `reveal-secret` shows the secret. The answer holds the new secret, this once.';

/** An operation that shows such a secret to its seller. */
export function revealOperation<Id extends string, Params extends z.ZodObject>(
  request: RequestDefinition<z.ZodObject, typeof signingSecrets>,
  operation: Pick<UntaggedOperation<Id>, 'id' | 'path' | 'audit'> & { params: Params; errors: readonly ErrorCode[] },
) {
  return defineOperation({
    ...operation,
    method: 'POST',
    summary: 'Show the signing secret again',
    description: 'For a person who is logged in and gives the password once more. No key can do this.',
    auth: 'session',
    body: revealWebhookSecretBody,
    response: request.output,
    changesNothing: true,
    unlimitedConcurrency: true,
    errors: [...operation.errors, 'invalid_credentials'],
    run: async ({ app, actor, params, body, address, context }) => {
      await checkPassword(app, actor, body.password, address);
      // Its path has all that the request takes.
      return await app.requester.request(request, params, context);
    },
  });
}
