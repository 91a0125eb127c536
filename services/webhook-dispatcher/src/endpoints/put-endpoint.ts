import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { putWebhookEndpoint } from '@app/contracts/webhooks';
import { runCommandOnce } from '@app/messaging/run-command-once';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Endpoint } from './endpoint.entity.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { type EndpointResource, endpointResource, lockPrimaryEndpoint, markUnsettled } from './endpoint-resource.ts';
import { urlRefusal } from './public-address.ts';
import { newSecret, secretText } from './secret-box.ts';

type Body = RequestInput<typeof putWebhookEndpoint>['body'];

/** Stored so that a repeated command gets the same response. It holds the secret only in its sealed form. */
interface Result {
  readonly resource: EndpointResource;
  readonly sealedSecret: string | null;
}

/**
 * Creates the account's endpoint or changes it; fields left out stay as they are. Only the response that created the
 * endpoint contains the signing secret. Switching it off holds its waiting deliveries; switching it on releases them,
 * oldest first (settle-endpoint.ts).
 * @throws DomainError webhook_url_refused
 */
export async function putEndpoint(
  deps: EndpointDeps,
  accountId: string,
  commandId: string,
  body: Body,
): Promise<EndpointResource> {
  const refusal = urlRefusal(body.url, deps.allowLoopback);
  if (refusal !== undefined) {
    throw new DomainError('webhook_url_refused', `The webhook URL ${refusal}.`, [
      { field: 'url', code: 'webhook_url_refused', message: refusal },
    ]);
  }
  const { resource, sealedSecret } = await runCommandOnce<Result>(deps.database.fork(), commandId, async (tx) => {
    // Of two first calls at once, the second waits here and then finds the first one's endpoint.
    await tx.execute(`select pg_advisory_xact_lock(hashtextextended('endpoint ' || ?, 0))`, [accountId]);
    const endpoint = await lockPrimaryEndpoint(tx, accountId);
    if (endpoint !== null) return { resource: await change(deps, tx, endpoint, body), sealedSecret: null };
    const created = create(deps, tx, accountId, idOfCommand('webhookEndpoint', commandId), body);
    return { resource: endpointResource(created), sealedSecret: created.secret };
  });
  if (sealedSecret !== null) return { ...resource, secret: secretText(deps.secrets.open(sealedSecret, resource.id)) };
  await deps.settle(resource.id);
  deps.announce(resource.id);
  return resource;
}

function create(deps: EndpointDeps, tx: EntityManager, accountId: string, id: string, body: Body): Endpoint {
  const now = deps.clock.now();
  const endpoint = tx.create(Endpoint, {
    id,
    accountId,
    role: 'primary',
    url: body.url,
    events: body.events ?? null,
    active: body.active ?? true,
    secret: deps.secrets.seal(newSecret(), id),
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  tx.persist(endpoint);
  return endpoint;
}

async function change(
  deps: EndpointDeps,
  tx: EntityManager,
  endpoint: Endpoint,
  body: Body,
): Promise<EndpointResource> {
  const now = deps.clock.now();
  const { active: wasActive, url: urlBefore } = endpoint;
  endpoint.url = body.url;
  if (body.events !== undefined) endpoint.events = body.events;
  if (body.active !== undefined) endpoint.active = body.active;
  endpoint.version += 1;
  endpoint.updatedAt = now;
  // A new URL or a new start begins without a history of failures.
  if (endpoint.url !== urlBefore || !wasActive)
    await tx.execute('delete from failing_endpoints where endpoint_id = ? and account_id = ?', [
      endpoint.id,
      endpoint.accountId,
    ]);
  if (wasActive !== endpoint.active) await markUnsettled(tx, endpoint, now);
  return endpointResource(endpoint);
}
