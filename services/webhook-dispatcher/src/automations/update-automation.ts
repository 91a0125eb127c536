import type {
  AutomationAction,
  deleteAutomation as deleteContract,
  updateAutomation as updateContract,
} from '@app/contracts/automations';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { forgetFailures } from '../endpoints/change-endpoint.ts';
import { recordChange } from '../endpoints/record-change.ts';
import { requireAllowed, requireUsable } from './automation.rules.ts';
import type { AutomationDeps } from './automation-deps.ts';
import {
  type AutomationResource,
  type AutomationRow,
  automationColumns,
  automationTypes,
  builtInOf,
  resourceOf,
} from './automation-row.ts';
import { requireAllowedUrl } from './create-automation.ts';
import { lockAutomation } from './find-automation.ts';

const updateStatement = statement<AutomationRow>(
  'update-automation-update',
  `
  update endpoints set name = $3, product_id = $4, action = $5::jsonb, url = $6, active = $7,
    switched_off_reason = case when not $7 then coalesce(switched_off_reason, 'seller') end,
    switched_off_at = case when not $7 then coalesce(switched_off_at, $8) end,
    version = version + 1, updated_at = $8
  where account_id = $1 and id = $2
  returning ${automationColumns}`,
  automationTypes,
);
const deleteStatement = statement(
  'update-automation-delete',
  'delete from endpoints where account_id = $1 and id = $2',
);
/** An automation that is switched on begins anew, and sends nothing of the time before. */
const dropAll = { which: 'all', withPending: true } as const;

/**
 * Changes the given fields. A new URL switches a POST on again that was switched off for what the former one answered,
 * unless `active` is given. What waits to be sent is dropped when the automation is switched off, and sent to the new URL
 * or with the new template otherwise.
 * @throws DomainError automation_not_found, validation_failed, webhook_url_refused
 */
export async function updateAutomation(
  deps: AutomationDeps,
  { accountId, commandId }: RequestContext,
  { automationId, body }: RequestInput<typeof updateContract>,
): Promise<AutomationResource> {
  const resource = await runCommandOnce(deps.database.fork(), commandId, async (tx) => {
    const before = await lockAutomation(tx, accountId, automationId);
    requireAllowed(body, before.action, builtInOf(accountId, automationId));
    const { name = before.name, productId = before.product_id, action = before.action } = body;
    const active = body.active ?? (before.active || isRepaired(before, action));
    requireUsable({ event: before.event, productId, action });
    requireAllowedUrl(action, deps.allowLoopback);
    const now = deps.clock.now();
    const url = action.type === 'post' ? action.url : null;
    const values = [accountId, automationId, name, productId, JSON.stringify(action), url, active, now];
    const [row] = await executeBound(tx, updateStatement(values));
    // A change begins without a history of failures.
    await forgetFailures(tx, { id: automationId, accountId });
    if (active !== before.active) await recordChange(tx, { id: automationId, accountId }, now, dropAll);
    return resourceOf(row as AutomationRow, deps);
  });
  await applyAndAnnounce(deps, automationId);
  return resource;
}

/** Only the former URL was gone or failing. */
const isRepaired = (
  { action: former, switched_off_reason: reason }: AutomationRow,
  action: AutomationAction,
): boolean =>
  reason !== null &&
  reason !== 'seller' &&
  action.type === 'post' &&
  former.type === 'post' &&
  action.url !== former.url;

/**
 * Deletes an automation of the seller's own; what waits to be sent is dropped.
 * @throws DomainError automation_not_found, invalid_transition for a built-in one
 */
export async function deleteAutomation(
  deps: AutomationDeps,
  { accountId, commandId }: RequestContext,
  { automationId }: RequestInput<typeof deleteContract>,
): Promise<{ ok: true }> {
  const result = await runCommandOnce(deps.database.fork(), commandId, async (tx: EntityManager) => {
    if (builtInOf(accountId, automationId) !== undefined)
      throw new DomainError('invalid_transition', 'A built-in automation cannot be deleted: switch it off instead.');
    await lockAutomation(tx, accountId, automationId);
    await executeBound(tx, deleteStatement([accountId, automationId]));
    await forgetFailures(tx, { id: automationId, accountId });
    await recordChange(tx, { id: automationId, accountId }, deps.clock.now());
    return { ok: true as const };
  });
  await applyAndAnnounce(deps, automationId);
  return result;
}

async function applyAndAnnounce(deps: AutomationDeps, automationId: string): Promise<void> {
  await deps.applyChange(automationId);
  deps.announce(automationId);
}
