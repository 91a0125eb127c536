import { statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { type CheckoutRow, openedTypes, type Queryable } from './checkout-row.ts';
import { type Visit, visitsJson, visitsSql } from './record-visits.ts';
import type { SecretHash } from './secret.ts';

/** A checkout that is opened; fields of `visit` are named as the columns. */
export interface Opening {
  readonly row: CheckoutRow;
  readonly secretHash: SecretHash;
  /** Null for one whose visitor was counted before. */
  readonly visit: Visit | null;
}

export interface Opened {
  /** False when another account has a checkout with this id. */
  readonly opened: boolean;
  /** Whether the visitor was a new one. */
  readonly visited: boolean;
}

const openedColumns = namesOf(openedTypes);

/** `$1` checkouts with the hash of a secret, `$2` visits with their events, each visit once. */
const openStatement = statement<{ opened: string[]; recorded: string[] }>(
  'checkouts-open',
  `with ${visitsSql('$2')}, opened as (
     insert into checkouts as c (${openedColumns}, secret_hashes, status)
     select ${openedColumns}, array[secret_hash], 'open'
     from json_to_recordset($1::json) as r(${recordOf({ ...openedTypes, secret_hash: 'bytea' })})
     order by id
     on conflict (id) do update set secret_hashes = c.secret_hashes || excluded.secret_hashes
     where c.account_id = excluded.account_id
     returning id
   )
   select array(select id from opened) as opened, array(select event_id from recorded) as recorded`,
  { opened: 'text[]', recorded: 'text[]' },
);

/**
 * Writes checkouts and counts their visitors, in one statement. A checkout whose command came again gets its new secret
 * beside the first one. Two of the same command in one batch are written one after the other, each alone.
 */
export async function recordOpenings(db: Queryable, all: readonly Opening[]): Promise<Opened[]> {
  const checkouts = all.map(({ row, secretHash }) => ({ ...row, secret_hash: secretHash }));
  const values = [JSON.stringify(checkouts), visitsJson(all.flatMap(({ visit }) => visit ?? []))];
  const { rows } = await db.query(openStatement(values));
  const [opened, recorded] = [new Set(rows[0]?.opened), new Set(rows[0]?.recorded)];
  return all.map(({ row, visit }) => ({
    opened: opened.has(row.id),
    visited: visit !== null && recorded.has(visit.event_id),
  }));
}
