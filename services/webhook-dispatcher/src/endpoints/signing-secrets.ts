import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { revealWebhookSecret, rotateWebhookSecret } from '@app/contracts/webhooks';
import { runCommandOnce } from '@app/messaging/run-command-once';
import type { EndpointDeps } from './endpoint-deps.ts';
import { type EndpointResource, endpointResource } from './endpoint-resource.ts';
import { findEndpoint, lockEndpoint } from './find-endpoint.ts';
import { type SealedResult, withSecret } from './sealed-result.ts';
import { newSecret, secretText } from './secret-box.ts';

const overlapHoursDefault = 24;
const hourMs = 3_600_000;

/**
 * Replaces the signing secret; the response contains the new one. Until the overlap ends the previous one signs too; one
 * that an earlier rotation left over ends at once.
 * @throws DomainError webhook_endpoint_not_found
 */
export async function rotateSecret(
  deps: EndpointDeps,
  { accountId, commandId, endpointId: id }: { accountId: string; commandId: string; endpointId: string },
  body: RequestInput<typeof rotateWebhookSecret>['body'],
): Promise<EndpointResource> {
  const overlapMs = (body?.overlapHours ?? overlapHoursDefault) * hourMs;
  const result = await runCommandOnce<SealedResult>(deps.database.fork(), commandId, async (tx) => {
    const endpoint = await lockEndpoint(tx, accountId, { id });
    const now = deps.clock.now();
    const sealedSecret = deps.secrets.seal(newSecret(), id);
    endpoint.previousSecret = overlapMs === 0 ? null : endpoint.secret;
    endpoint.previousSecretUntil = overlapMs === 0 ? null : new Date(now.getTime() + overlapMs);
    endpoint.secret = sealedSecret;
    endpoint.version += 1;
    endpoint.updatedAt = now;
    return { resource: await endpointResource(deps, tx, endpoint), sealedSecret };
  });
  deps.announce(id);
  return withSecret(deps, result);
}

/**
 * The signing secrets themselves; whoever asks has checked the seller's password.
 * @throws DomainError webhook_endpoint_not_found
 */
export async function revealSecret(
  { database, secrets, clock }: Pick<EndpointDeps, 'database' | 'secrets' | 'clock'>,
  accountId: string,
  id: string,
): Promise<RequestOutput<typeof revealWebhookSecret>> {
  const { secret, previousSecret, previousSecretUntil } = await findEndpoint(database.fork(), accountId, { id });
  const shown = (sealed: string | null | undefined) => (sealed == null ? null : secretText(secrets.open(sealed, id)));
  const isPreviousValid = previousSecretUntil != null && previousSecretUntil > clock.now();
  return { secret: shown(secret) ?? '', previous_secret: isPreviousValid ? shown(previousSecret) : null };
}
