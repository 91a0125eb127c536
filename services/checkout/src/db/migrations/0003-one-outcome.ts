import { Migration } from '@app/service-kit/migrations';

/**
 * order_refusals  what a command was refused for, under the id its order would have had: a command has one outcome,
 *                 that of its first try to commit. Kept for a day, far longer than any try can last.
 * room            uses that were left of a code when its last claim came; null for a code without a limit.
 *
 * The two functions decide between a recorded order and a refusal of the same command. Each locks the id first and reads
 * afterwards, in a statement of its own: a statement sees what was committed before it began, so one that waited for the
 * lock itself would miss what was committed while it waited.
 */
export class OneOutcome extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table discount_uses add column room bigint');
    this.addSql(`
      create table order_refusals (
        order_id text primary key,
        account_id text not null,
        refusal json not null,
        created_at timestamptz not null default now()
      )`);
    this.addSql('create index order_refusals_created on order_refusals (created_at)');
    this.addSql(confirmOrders);
    this.addSql(refuseOrders);
  }
}

/** Called last in the statement that writes orders. Its error undoes the statement; then each order is written alone. */
const confirmOrders = `
  create function confirm_orders(recorded text[], recorded_before text[]) returns text[] language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended(id, 0))
    from (select id from unnest(recorded) as id order by id) as o;
    if cardinality(recorded_before) > 0 or exists (select from order_refusals where order_id = any (recorded)) then
      raise exception 'another try of the same command was faster' using errcode = 'FE001';
    end if;
    return recorded;
  end $$`;

/** Waits for orders of these ids that are being recorded. Both functions lock ids in the same order. */
const refuseOrders = `
  create function refuse_orders(refused json) returns table (order_id text, total bigint, reason json)
  language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended(r.id, 0))
    from (select id from json_to_recordset(refused) as i(id text) order by id) as r;
    insert into order_refusals (order_id, account_id, refusal)
      select r.id, r.account_id, r.refusal
      from json_to_recordset(refused) as r(id text, account_id text, refusal json)
      where not exists (select from orders as o where o.id = r.id)
      order by r.id
      on conflict do nothing;
    return query
      select r.id, o.total_cents, f.refusal
      from json_to_recordset(refused) as r(id text, account_id text)
      left join orders as o on o.id = r.id and o.account_id = r.account_id
      left join order_refusals as f on f.order_id = r.id and f.account_id = r.account_id;
  end $$`;
