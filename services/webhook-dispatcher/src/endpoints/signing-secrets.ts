import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { hourMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import type { revealWebhookSecret, rotateWebhookSecret } from '@app/contracts/webhooks';
import { newSecret, type SecretBox, secretText, UnreadableSecretError } from '../secrets/secret-box.ts';
import type { Endpoint } from './endpoint.entity.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { type EndpointResource, endpointResource } from './endpoint-resource.ts';
import { findEndpoint, lockEndpoint } from './find-endpoint.ts';
import { runSealed } from './sealed-result.ts';

const overlapHoursDefault = 24;

/**
 * Replaces the signing secret; the response contains the new one.
 * @throws DomainError webhook_endpoint_not_found, invalid_transition
 */
export async function rotateSecret(
  deps: EndpointDeps,
  { accountId, commandId, endpointId: id }: { accountId: string; commandId: string; endpointId: string },
  body: RequestInput<typeof rotateWebhookSecret>['body'],
): Promise<EndpointResource> {
  const resource = await runSealed(deps, commandId, async (tx) => {
    const endpoint = await lockEndpoint(tx, accountId, { id });
    const sealedSecret = replaceSecret(deps, endpoint, body);
    return { resource: await endpointResource(deps, tx, endpoint), sealedSecret };
  });
  deps.announce(id);
  return resource;
}

/**
 * Gives a locked endpoint, or the row of an automation that POSTs, a new secret, and returns it sealed. Until the overlap
 * ends the previous one signs too. A rotation before that would end a secret that some receiver still checks, so it is
 * refused, unless it says that no other secret is to sign: that is for one that leaked. A secret that cannot be read any
 * more signs nothing, so that the new one replaces it at once.
 * @throws DomainError invalid_transition
 */
export function replaceSecret(
  { secrets, clock }: Pick<EndpointDeps, 'secrets' | 'clock'>,
  endpoint: Endpoint,
  body: RequestInput<typeof rotateWebhookSecret>['body'],
): string {
  const overlapHours = isReadable(secrets, endpoint) ? (body?.overlapHours ?? overlapHoursDefault) : 0;
  const overlapMs = overlapHours * hourMs;
  const now = clock.now();
  if (overlapMs > 0) refuseWithinOverlap(endpoint.previousSecretUntil, now);
  const sealedSecret = secrets.seal(newSecret(), endpoint.id);
  endpoint.previousSecret = overlapMs === 0 ? null : endpoint.secret;
  endpoint.previousSecretUntil = overlapMs === 0 ? null : new Date(now.getTime() + overlapMs);
  endpoint.secret = sealedSecret;
  endpoint.version += 1;
  endpoint.updatedAt = now;
  return sealedSecret;
}

function isReadable(secrets: SecretBox, { id, secret }: Endpoint): boolean {
  try {
    if (secret != null) secrets.open(secret, id);
    return true;
  } catch (err) {
    if (err instanceof UnreadableSecretError) return false;
    throw err;
  }
}

function refuseWithinOverlap(until: Date | null | undefined, now: Date): void {
  if (until == null || until <= now) return;
  const detail =
    `The previous secret signs until ${until.toISOString()}, and another rotation would end it before. Rotate after ` +
    'that, or with overlapHours 0, which ends both secrets at once. If the answer of the rotation got lost, ' +
    'reveal-secret shows the secret.';
  throw new DomainError('invalid_transition', detail);
}

/**
 * The signing secrets themselves; the caller has checked the seller's password.
 * @throws DomainError webhook_endpoint_not_found; invalid_transition where they cannot be read any more
 */
export async function revealSecret(
  deps: Pick<EndpointDeps, 'database' | 'secrets' | 'clock'>,
  accountId: string,
  id: string,
): Promise<RequestOutput<typeof revealWebhookSecret>> {
  return secretsOf(deps, await findEndpoint(deps.database.fork(), accountId, { id }));
}

/**
 * The secrets that sign for an endpoint, or for an automation that POSTs.
 * @throws DomainError invalid_transition where they cannot be read any more
 */
export function secretsOf(
  { secrets, clock }: Pick<EndpointDeps, 'secrets' | 'clock'>,
  { id, secret, previousSecret, previousSecretUntil }: Endpoint,
): RequestOutput<typeof revealWebhookSecret> {
  const shown = (sealed: string | null | undefined) => (sealed == null ? null : secretText(secrets.open(sealed, id)));
  const isPreviousValid = previousSecretUntil != null && previousSecretUntil > clock.now();
  try {
    return { secret: shown(secret) ?? '', previous_secret: isPreviousValid ? shown(previousSecret) : null };
  } catch (err) {
    if (!(err instanceof UnreadableSecretError)) throw err;
    throw new DomainError('invalid_transition', 'The signing secret cannot be decrypted: rotate it.');
  }
}
