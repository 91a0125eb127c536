import type { AutomationAction, createAutomation as contract } from '@app/contracts/automations';
import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { urlRefusal } from '../deliveries/public-address.ts';
import { isAutomation } from '../destinations/destination-kind-sql.ts';
import { runSealed } from '../endpoints/sealed-result.ts';
import { newSecret } from '../secrets/secret-box.ts';
import { requireUsable } from './automation.rules.ts';
import type { AutomationDeps } from './automation-deps.ts';
import {
  type AutomationResource,
  type AutomationRow,
  automationColumns,
  automationTypes,
  resourceOf,
} from './automation-row.ts';

const insertStatement = statement<AutomationRow>(
  'create-automation-insert',
  `
  insert into endpoints (id, account_id, role, name, active, events, product_id, action, url, secret, version, created_at,
    updated_at)
  values ($1, $2, 'automation', $3, $4, array[$5], $6, $7::jsonb, $8, $9, 1, $10, $10)
  returning ${automationColumns}`,
  automationTypes,
);
/**
 * Two commands at once count one after the other. The lock is a statement of its own: a count that waited for it would not
 * see what the other has added meanwhile.
 */
const lockStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'create-automation-lock',
  `select pg_advisory_xact_lock(hashtextextended('automation ' || $1, 0))`,
  { pg_advisory_xact_lock: 'void' },
);
const countStatement = statement<{ count: number }>(
  'create-automation-count',
  `
  select count(*)::int as count from endpoints where account_id = $1 and ${isAutomation()} and built_in is null`,
  { count: 'int4' },
);

/**
 * Adds an automation. Only this response contains the signing secret of a POST.
 * @throws DomainError validation_failed, webhook_url_refused, limit_reached
 */
export async function createAutomation(
  deps: AutomationDeps,
  { accountId, commandId }: RequestContext,
  { body }: RequestInput<typeof contract>,
): Promise<AutomationResource> {
  const { name, event, productId = null, action, active = true } = body;
  requireUsable({ event, productId, action });
  requireAllowedUrl(action, deps.allowLoopback);
  const id = idOfCommand('automation', commandId);
  return await runSealed(deps, commandId, async (tx) => {
    await requireRoom(tx, accountId);
    const secret = action.type === 'post' ? deps.secrets.seal(newSecret(), id) : null;
    const url = action.type === 'post' ? action.url : null;
    const values = [
      id,
      accountId,
      name,
      active,
      event,
      productId,
      JSON.stringify(action),
      url,
      secret,
      deps.clock.now(),
    ];
    const [row] = await executeBound(tx, insertStatement(values));
    return { resource: resourceOf(row as AutomationRow, deps), sealedSecret: secret };
  });
}

/** @throws DomainError webhook_url_refused */
export function requireAllowedUrl(action: AutomationAction, allowLoopback: boolean): void {
  const refusal = action.type === 'post' ? urlRefusal(action.url, allowLoopback) : undefined;
  if (refusal === undefined) return;
  throw new DomainError('webhook_url_refused', `The URL ${refusal}.`, [
    { field: 'action.url', code: 'webhook_url_refused', message: refusal },
  ]);
}

async function requireRoom(tx: EntityManager, accountId: string): Promise<void> {
  await executeBound(tx, lockStatement([accountId]));
  const [counted] = await executeBound(tx, countStatement([accountId]));
  if ((counted?.count ?? 0) < limits.automationsPerAccount) return;
  throw new DomainError('limit_reached', `The limit of ${limits.automationsPerAccount} automations is reached.`);
}
