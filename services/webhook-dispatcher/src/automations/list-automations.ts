import type { PageQuery } from '@app/contracts/common';
import { statement } from '@app/service-kit/database';
import { type Page, pageOfAll } from '@app/service-kit/paging';
import { isAutomation } from '../destinations/destination-kind-sql.ts';
import type { AutomationDeps } from './automation-deps.ts';
import {
  type AutomationResource,
  type AutomationRow,
  automationColumns,
  automationTypes,
  builtInRow,
  resourceOf,
} from './automation-row.ts';
import { builtIns } from './built-in.rules.ts';

const listStatement = statement<AutomationRow>(
  'automations',
  `select ${automationColumns} from endpoints where account_id = $1 and ${isAutomation()} order by id`,
  automationTypes,
);

/**
 * The built-in ones first, each as the seller left it, then the seller's own, oldest first.
 * @throws DomainError validation_failed for an unknown `before`
 */
export async function listAutomations(
  deps: Pick<AutomationDeps, 'database' | 'clock' | 'emailsAvailable'>,
  accountId: string,
  query: PageQuery,
): Promise<Page<AutomationResource>> {
  const { rows } = await deps.database.pool.query(listStatement([accountId]));
  const ofKey = new Map(rows.map((row) => [row.built_in, row]));
  const builtIn = builtIns.map((one) => ofKey.get(one.key) ?? builtInRow(accountId, one));
  const own = rows.filter((row) => row.built_in === null);
  const { data, ...page } = pageOfAll([...builtIn, ...own], query);
  return { data: data.map((row) => resourceOf(row, deps)), ...page };
}
