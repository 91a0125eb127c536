import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import type { HeldChoice, updateWebhookEndpoint } from '@app/contracts/webhooks';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { urlRefusal } from '../deliveries/public-address.ts';
import { startHeldRecovery, stopHeldRecovery } from '../repair/held-recovery.ts';
import { sealHeaders } from '../secrets/own-headers.ts';
import type { Endpoint } from './endpoint.entity.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { afterChange, type EndpointResource, endpointResource } from './endpoint-resource.ts';
import { lockEndpoint } from './find-endpoint.ts';
import { decideHeld, type Switched } from './held.rules.ts';
import { recordChange } from './record-change.ts';

type Body = RequestInput<typeof updateWebhookEndpoint>['body'];

/**
 * Changes a URL's endpoint by its id; fields left out stay as they are.
 * @throws DomainError webhook_endpoint_not_found, webhook_url_refused, validation_failed
 */
export async function updateEndpoint(
  deps: EndpointDeps,
  { accountId, commandId, endpointId: id }: { accountId: string; commandId: string; endpointId: string },
  body: Body,
): Promise<EndpointResource> {
  const resource = await runCommandOnce(deps.database.fork(), commandId, async (tx) =>
    changeEndpoint(deps, tx, await lockEndpoint(tx, accountId, { id }), body),
  );
  return await afterChange(deps, accountId, resource);
}

/**
 * Changes the given fields of a locked endpoint. Switching it off holds its waiting deliveries; what was held is sent or
 * dropped as `held` says (held.rules.ts). A new URL switches it on if it was switched off for what the former one
 * answered, unless `active` is given.
 */
export async function changeEndpoint(
  deps: EndpointDeps,
  tx: EntityManager,
  endpoint: Endpoint,
  body: Body,
): Promise<EndpointResource> {
  const { active: wasActive, url: urlBefore, switchedOffReason } = endpoint;
  if (body.url !== undefined) {
    checkUrl(deps, body.url);
    endpoint.url = body.url;
  }
  if (body.events !== undefined) endpoint.events = body.events;
  if (body.description !== undefined) endpoint.description = body.description;
  if (body.headers !== undefined) endpoint.headers = sealHeaders(deps.secrets, endpoint.id, body.headers);
  // Only the former URL was gone or failing: the new one is what its seller was to send.
  const isRepaired = endpoint.url !== urlBefore && switchedOffReason != null && switchedOffReason !== 'seller';
  const active = body.active ?? (isRepaired || wasActive);
  if (active !== wasActive) switchTo(endpoint, active, deps.clock.now());
  // From now on it is off because its seller says so.
  else if (isRepaired) endpoint.switchedOffReason = 'seller';
  endpoint.version += 1;
  endpoint.updatedAt = deps.clock.now();
  await tx.flush();
  // A new URL or a new start begins without a history of failures.
  if (endpoint.url !== urlBefore || (!wasActive && endpoint.active)) await forgetFailures(tx, endpoint);
  await applyHeldChoice(deps, tx, endpoint, { wasConnected: true, wasActive }, body.held);
  return await endpointResource(deps, tx, endpoint);
}

function switchTo(endpoint: Endpoint, active: boolean, now: Date): void {
  endpoint.active = active;
  endpoint.switchedOffReason = active ? null : 'seller';
  endpoint.switchedOffAt = active ? null : now;
}

/**
 * Records, in the transaction of the change, what becomes of the deliveries that wait, as the seller chose.
 * @throws DomainError validation_failed for what an endpoint that is off cannot do
 */
export async function applyHeldChoice(
  { clock }: Pick<EndpointDeps, 'clock'>,
  tx: EntityManager,
  endpoint: Endpoint,
  before: Omit<Switched, 'isActive'>,
  choice: HeldChoice | undefined,
): Promise<void> {
  const { active: isActive } = endpoint;
  const decision = decideHeld({ ...before, isActive }, choice);
  if (decision === null) throw invalidField('held', 'must be discard while the endpoint is off');
  await tx.flush();
  const now = clock.now();
  const { send, discard } = decision;
  if (!isActive || discard === 'all') await stopHeldRecovery(tx, now, endpoint);
  if (discard !== null) await recordChange(tx, endpoint, now, { which: discard, withPending: !before.wasActive });
  else if (before.wasActive && !isActive) await recordChange(tx, endpoint, now);
  if (send !== null) await startHeldRecovery(tx, now, endpoint, send);
}

const forgetFailuresStatement = statement(
  'failing-endpoints-forget',
  'delete from failing_endpoints where endpoint_id = $1 and account_id = $2',
);

/** The failures of an endpoint or an automation: they were of what it was before. */
export async function forgetFailures(
  tx: EntityManager,
  { id, accountId }: Pick<Endpoint, 'id' | 'accountId'>,
): Promise<void> {
  await executeBound(tx, forgetFailuresStatement([id, accountId]));
}

/** @throws DomainError webhook_url_refused */
export function checkUrl({ allowLoopback }: Pick<EndpointDeps, 'allowLoopback'>, url: string): void {
  const refusal = urlRefusal(url, allowLoopback);
  if (refusal === undefined) return;
  const errors = [{ field: 'url', code: 'webhook_url_refused', message: refusal }];
  throw new DomainError('webhook_url_refused', `The webhook URL ${refusal}.`, errors);
}
