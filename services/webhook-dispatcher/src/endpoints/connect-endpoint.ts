import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { createWebhookEndpoint } from '@app/contracts/webhooks';
import type { RequestContext } from '@app/messaging/request-headers';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sealHeaders } from '../secrets/own-headers.ts';
import { newSecret } from '../secrets/secret-box.ts';
import { applyHeldChoice, checkUrl } from './change-endpoint.ts';
import { Endpoint } from './endpoint.entity.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { afterChange, type EndpointResource, endpointResource } from './endpoint-resource.ts';
import { type LockedEndpoints, lockEndpoints } from './find-endpoint.ts';
import { runSealed, type SealedResult } from './sealed-result.ts';

type Body = RequestInput<typeof createWebhookEndpoint>['body'];

export interface NewEndpoint {
  readonly accountId: string;
  /** The endpoint gets its suffix, unless it takes over the one that holds events. */
  readonly commandId: string;
  readonly role: 'primary' | 'additional';
}

/**
 * Connects a further URL. The response contains its signing secret.
 * @throws DomainError webhook_url_refused, limit_reached, validation_failed
 */
export async function createEndpoint(
  deps: EndpointDeps,
  { accountId, commandId }: RequestContext,
  body: Body,
): Promise<EndpointResource> {
  return await changeLocked(deps, { accountId, commandId }, (tx, found) =>
    connectEndpoint(deps, tx, { accountId, commandId, role: 'additional' }, { ...found, body }),
  );
}

/** Runs a command that may connect a URL, at most once for its id, under the lock of `lockEndpoints`. */
export async function changeLocked(
  deps: EndpointDeps,
  { accountId, commandId }: Pick<RequestContext, 'accountId' | 'commandId'>,
  work: (tx: EntityManager, found: LockedEndpoints) => Promise<SealedResult<EndpointResource>>,
): Promise<EndpointResource> {
  const resource = await runSealed(deps, commandId, async (tx) => await work(tx, await lockEndpoints(tx, accountId)));
  return await afterChange(deps, accountId, resource);
}

/**
 * Connects a URL under the lock of `lockEndpoints`. The first of an account takes over the endpoint without a URL, and
 * with it what was held.
 */
export async function connectEndpoint(
  deps: EndpointDeps,
  tx: EntityManager,
  about: NewEndpoint,
  { connected, waiting, body }: LockedEndpoints & { readonly body: Body },
): Promise<SealedResult<EndpointResource>> {
  checkUrl(deps, body.url);
  const max = limits.webhookEndpointsPerAccount;
  if (connected.length >= max)
    throw new DomainError('limit_reached', `The limit of ${max} webhook endpoints is reached.`);
  const now = deps.clock.now();
  const id = waiting?.id ?? idOfCommand('webhookEndpoint', about.commandId);
  const active = body.active ?? true;
  const sealedSecret = deps.secrets.seal(newSecret(), id);
  const values = {
    role: about.role,
    url: body.url,
    description: body.description ?? '',
    events: body.events ?? null,
    headers: sealHeaders(deps.secrets, id, body.headers ?? {}),
    active,
    switchedOffReason: active ? null : ('seller' as const),
    switchedOffAt: active ? null : now,
    secret: sealedSecret,
    version: (waiting?.version ?? 0) + 1,
    createdAt: now,
    updatedAt: now,
  };
  const endpoint =
    waiting === undefined
      ? tx.create(Endpoint, { id, accountId: about.accountId, ...values })
      : tx.assign(waiting, values);
  tx.persist(endpoint);
  await applyHeldChoice(deps, tx, endpoint, { wasConnected: false, wasActive: false }, body.held);
  return { resource: await endpointResource(deps, tx, endpoint), sealedSecret };
}
