import { hash } from 'node:crypto';
import type { AutomationAction, automationResource } from '@app/contracts/automations';
import { idPrefixes, idSuffixOf, idTimeMs } from '@app/contracts/ids';
import type { TriggerName } from '@app/contracts/triggers';
import { type ColumnsOf, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import type { z } from 'zod';
import type { AutomationDeps } from './automation-deps.ts';
import { type BuiltIn, type BuiltInKey, builtIns, currentWords } from './built-in.rules.ts';

export type AutomationResource = z.infer<typeof automationResource>;

/** An automation is a row of `endpoints`. */
export interface AutomationRow {
  readonly id: string;
  readonly name: string;
  readonly built_in: BuiltInKey | null;
  readonly active: boolean;
  readonly switched_off_reason: 'seller' | 'gone' | 'failing' | null;
  readonly switched_off_at: Date | null;
  readonly event: TriggerName;
  readonly product_id: string | null;
  readonly action: AutomationAction;
  readonly previous_secret_until: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const automationColumns =
  'id, name, built_in, active, switched_off_reason, switched_off_at, events[1] as event, product_id, action, previous_secret_until, created_at, updated_at';

/** The types of `automationColumns`. */
export const automationTypes: ColumnsOf<AutomationRow> = {
  id: 'text',
  name: 'text',
  built_in: 'text',
  active: 'bool',
  switched_off_reason: 'text',
  switched_off_at: 'timestamptz',
  event: 'text',
  product_id: 'text',
  action: 'jsonb',
  previous_secret_until: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
};

export function resourceOf(
  row: AutomationRow,
  { clock, emailsAvailable }: Pick<AutomationDeps, 'clock' | 'emailsAvailable'>,
): AutomationResource {
  const { id, name, built_in, active, event, product_id } = row;
  const action = currentWords(built_in, row.action);
  const { switched_off_reason: reason, switched_off_at: at, previous_secret_until: until } = row;
  return {
    id,
    name,
    built_in,
    active,
    event,
    product_id,
    action,
    switched_off: reason !== null && at !== null ? { reason, at: at.toISOString() } : null,
    previous_secret_expires_at: until !== null && until > clock.now() ? until.toISOString() : null,
    available: action.type === 'post' || emailsAvailable,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Known before the row is there: it follows from the account and the key, and sorts with the account's time. */
export function builtInId(accountId: string, key: BuiltInKey): string {
  const entropy = hash('sha256', `${accountId} ${key}`, 'buffer');
  return `${idPrefixes.automation}_${idSuffixOf(idTimeMs(accountId), entropy)}`;
}

export const builtInOf = (accountId: string, automationId: string): BuiltIn | undefined =>
  builtIns.find(({ key }) => builtInId(accountId, key) === automationId);

/** A built-in automation as it is before the account's first event or change. */
export function builtInRow(accountId: string, { key, name, event, action }: BuiltIn): AutomationRow {
  const madeAt = new Date(idTimeMs(accountId));
  return {
    id: builtInId(accountId, key),
    name,
    built_in: key,
    active: true,
    event,
    product_id: null,
    action,
    switched_off_reason: null,
    switched_off_at: null,
    previous_secret_until: null,
    created_at: madeAt,
    updated_at: madeAt,
  };
}

const { id, name, built_in, event, action, created_at } = automationTypes;
const writtenTypes = { id, account_id: 'text', name, built_in, action, created_at };
const written = namesOf(writtenTypes);

/**
 * Writes the rows of accounts' built-in automations that are not there yet; the one parameter is from `builtInRows`. In the
 * order of their ids, so that no two batches wait for each other.
 */
export const materialiseStatement = statement(
  'automations-materialise',
  `
  insert into endpoints (${written}, role, active, events, version, updated_at)
  select ${written}, 'automation', true, array[event], 1, created_at
  from json_to_recordset($1::json) as b (${recordOf({ ...writtenTypes, event })})
  order by id
  on conflict (id) do nothing`,
);

export function builtInRows(accountIds: readonly string[]): string {
  return JSON.stringify(
    accountIds.flatMap((account_id) => builtIns.map((builtIn) => ({ account_id, ...builtInRow(account_id, builtIn) }))),
  );
}
