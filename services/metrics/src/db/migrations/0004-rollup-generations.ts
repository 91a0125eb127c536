import { Migration } from '@app/service-kit/migrations';
import { rollupLock } from '../../rollups/rollup-columns.ts';

/**
 * facts.seq           numbers facts in the order in which they were recorded; a rebuild reads an account's by index.
 * generation          of an account's roll-ups. A rebuild writes the next one beside the one that is read, and then
 *                     updates `rollup_generations`. An account without a row there is at generation 0.
 * share_rollups       locks and returns the generations that a batch of facts adds to, until its transaction ends. It
 *                     locks first and reads afterwards, in a statement of its own: a statement that waited for a lock
 *                     does not see what was committed meanwhile. All callers lock in the same order.
 */
export class RollupGenerations extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table facts add column seq bigint generated always as identity');
    this.addSql('create index facts_of_account on facts (account_id, seq)');
    this.addSql('create table rollup_generations (account_id text primary key, generation integer not null)');
    for (const [table, key] of [
      ['product_totals', 'product_id'],
      ['product_months', 'product_id, month'],
      ['customers', 'product_id, email_key'],
    ]) {
      this.addSql(`alter table ${table} add column generation integer not null default 0`);
      this.addSql(`alter table ${table} drop constraint ${table}_pkey`);
      this.addSql(`alter table ${table} add primary key (account_id, generation, ${key})`);
    }
    this.addSql(`
      create function share_rollups(accounts text[]) returns table (account_id text, generation integer)
      language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${rollupLock}, key)
        from (select distinct hashtext(a) as key from unnest(accounts) as a order by key) as keys;
        return query
          select a.name, coalesce(g.generation, 0)
          from unnest(accounts) as a(name) left join rollup_generations as g on g.account_id = a.name;
      end $$`);
  }
}
