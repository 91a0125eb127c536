import type {
  AutomationAction,
  revealAutomationSecret as revealContract,
  rotateAutomationSecret as rotateContract,
} from '@app/contracts/automations';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { RequestContext } from '@app/messaging/request-headers';
import { Endpoint } from '../endpoints/endpoint.entity.ts';
import { runSealed } from '../endpoints/sealed-result.ts';
import { replaceSecret, secretsOf } from '../endpoints/signing-secrets.ts';
import type { AutomationDeps } from './automation-deps.ts';
import { type AutomationResource, resourceOf } from './automation-row.ts';
import { automationNotFound, findAutomation, lockAutomation } from './find-automation.ts';

/**
 * Replaces the secret with which the POSTs of an automation are signed, as that of an endpoint is
 * (endpoints/signing-secrets.ts); the response contains the new one.
 * @throws DomainError automation_not_found; invalid_transition within the overlap, and where there is no secret
 */
export async function rotateAutomationSecret(
  deps: AutomationDeps,
  { accountId, commandId }: RequestContext,
  { automationId: id, body }: RequestInput<typeof rotateContract>,
): Promise<AutomationResource> {
  const resource = await runSealed(deps, commandId, async (tx) => {
    requirePost((await lockAutomation(tx, accountId, id)).action);
    const sealedSecret = replaceSecret(deps, await tx.findOneOrFail(Endpoint, { accountId, id }), body);
    await tx.flush();
    return { resource: resourceOf(await lockAutomation(tx, accountId, id), deps), sealedSecret };
  });
  deps.announce(id);
  return resource;
}

/**
 * The signing secrets themselves; the caller has checked the seller's password.
 * @throws DomainError automation_not_found; invalid_transition where there is no secret
 */
export async function revealAutomationSecret(
  deps: Pick<AutomationDeps, 'database' | 'secrets' | 'clock'>,
  accountId: string,
  id: string,
): Promise<RequestOutput<typeof revealContract>> {
  requirePost((await findAutomation(deps.database, accountId, id)).action);
  const automation = await deps.database.fork().findOne(Endpoint, { accountId, id });
  if (automation === null) throw automationNotFound();
  return secretsOf(deps, automation);
}

function requirePost({ type }: AutomationAction): void {
  if (type === 'post') return;
  throw new DomainError('invalid_transition', 'An automation that sends emails has no signing secret.');
}
