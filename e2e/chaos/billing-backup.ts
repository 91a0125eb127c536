import { query } from '@app/testing/sql';
import type { World } from './world.ts';

/** Billing's own tables as they were at one moment. The books of the simulated processor, in another schema, stay: an outside party keeps them. */
export interface BillingBackup {
  /** By the real clock, which nats-server has. */
  readonly takenAt: Date;
  /** Orders of which billing wrote anything since. No process of billing may be at work. */
  changedOrders(): Promise<ReadonlySet<string>>;
  /** No process of billing may be at work. */
  restore(): Promise<void>;
}

/** All rows are of one moment, as a backup's are. */
export async function backUpBilling({ cluster, postgres }: World): Promise<BillingBackup> {
  const url = cluster.databaseUrl('billing');
  // Rows come back in any order.
  await postgres.administer('grant set on parameter session_replication_role to billing');
  const named = await query<{ name: string }>(
    url,
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename not like 'mikro_orm%'`,
  );
  const tables = named.map(({ name }) => name);
  const takenAt = new Date();
  await query(
    url,
    [
      ...['begin isolation level repeatable read', 'drop schema if exists backup cascade', 'create schema backup'],
      ...tables.map((name) => `create table backup.${name} as table public.${name}`),
      'commit',
    ].join('; '),
  );
  return {
    takenAt,
    changedOrders: async () => {
      const changed = await query<{ id: string }>(url, changedStatement);
      return new Set(changed.map(({ id }) => id));
    },
    restore: async () => {
      const all = tables.map((name) => `public.${name}`).join(', ');
      await query(
        url,
        [
          ...['begin', 'set local session_replication_role = replica', `truncate ${all}`],
          ...tables.map((name) => `insert into public.${name} overriding system value table backup.${name}`),
          ...['drop schema backup cascade', 'commit'],
        ].join('; '),
      );
    },
  };
}

const withOrder = ['payments', 'charges', 'holds', 'subscriptions', 'disputes'];
const rowsOf = (schema: string, table: string): string => `select order_id, t::text from ${schema}.${table} as t`;
const renewalsOf = (schema: string): string =>
  `select s.order_id, t::text from ${schema}.renewals as t join public.subscriptions as s on s.id = t.subscription_id`;
const differing = (now: string, then: string): string => `(${now} except ${then}) union (${then} except ${now})`;

const changedStatement = `select distinct order_id as id from (
  ${[
    ...withOrder.map((table) => differing(rowsOf('public', table), rowsOf('backup', table))),
    differing(renewalsOf('public'), renewalsOf('backup')),
  ].join(' union ')}) as changed where order_id is not null`;
