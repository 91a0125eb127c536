import { DomainError } from '@app/contracts/errors';
import { executeBound } from '@app/service-kit/bound-sql';
import { type Database, statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isAutomation } from '../destinations/destination-kind-sql.ts';
import {
  type AutomationRow,
  automationColumns,
  automationTypes,
  builtInOf,
  builtInRow,
  builtInRows,
  materialiseStatement,
} from './automation-row.ts';

const findStatement = statement<AutomationRow>(
  'automation',
  `select ${automationColumns} from endpoints where account_id = $1 and id = $2 and ${isAutomation()}`,
  automationTypes,
);
const lockStatement = statement<AutomationRow>(
  'find-automation-lock',
  `select ${automationColumns} from endpoints
  where account_id = $1 and id = $2 and ${isAutomation()} for update`,
  automationTypes,
);

/** @throws DomainError automation_not_found */
export async function findAutomation(
  database: Database,
  accountId: string,
  automationId: string,
): Promise<AutomationRow> {
  const { rows } = await database.pool.query(findStatement([accountId, automationId]));
  if (rows[0] !== undefined) return rows[0];
  const builtIn = builtInOf(accountId, automationId);
  if (builtIn === undefined) throw automationNotFound();
  return builtInRow(accountId, builtIn);
}

/**
 * Locks the automation until the transaction ends, so that no event starts it meanwhile. A built-in one is written first if
 * it is not there yet.
 * @throws DomainError automation_not_found
 */
export async function lockAutomation(
  tx: EntityManager,
  accountId: string,
  automationId: string,
): Promise<AutomationRow> {
  if (builtInOf(accountId, automationId) !== undefined)
    await executeBound(tx, materialiseStatement([builtInRows([accountId])]));
  const [row] = await executeBound(tx, lockStatement([accountId, automationId]));
  if (row === undefined) throw automationNotFound();
  return row;
}

export const automationNotFound = (): DomainError =>
  new DomainError('automation_not_found', 'No automation has this id.');
