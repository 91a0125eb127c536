import { Migration } from '@app/service-kit/migrations';

/**
 * processor_facts  what processors did, apart from the attempts that asked for it: one row for each sighting. The same fact told by an
 *                  answer, an event and a list is three rows. A list tells it once each time that it is read: `seen_at` of these rows
 *                  is when that reading began, so that what a later reading does not show is known. `happened_at` is the processor's
 *                  time; an answer says none. `payment_id` and `order_id` are those that the processor's record carries, whether this
 *                  database has them or not: no row refers to another. `about` is the reference of the hold or charge that a capture,
 *                  release or refund is of. `lacked`: it is of a payment of ours that this database did not have when the row was
 *                  written, as after a restored backup. `seller` in `seen_by`: the seller has looked it up and confirmed it.
 *
 * Rows are added, and deleted by age; a trigger refuses to change one. Payments and charges point to facts by their references within
 * account, processor and mode.
 */
export class ProcessorFacts extends Migration {
  override up(): void {
    this.addSql(`
      create table processor_facts (
        position bigint not null generated always as identity,
        account_id text not null,
        processor text not null,
        test boolean not null,
        reference text not null,
        kind text not null check (
          kind in ('hold', 'charge', 'capture', 'refund', 'release', 'charge_failed', 'refund_failed', 'charge_waiting')
        ),
        amount_cents bigint not null,
        currency text not null,
        happened_at timestamptz,
        payment_id text,
        order_id text,
        about text,
        message text,
        seen_by text not null check (seen_by in ('answer', 'look-up', 'webhook', 'list', 'seller')),
        seen_at timestamptz not null,
        lacked boolean not null default false,
        constraint a_list_has_times check (seen_by <> 'list' or happened_at is not null)
      );
      alter table processor_facts
        alter amount_cents set statistics 0, alter currency set statistics 0, alter payment_id set statistics 0,
        alter order_id set statistics 0, alter about set statistics 0, alter message set statistics 0;
      create unique index processor_facts_once on processor_facts
        (account_id, processor, test, reference, kind, seen_by, (case when seen_by = 'list' then seen_at end))
        nulls not distinct;
      -- What one reading of a list showed, in the order in which it did.
      create index processor_facts_listed on processor_facts (account_id, processor, test, seen_at, position)
        where seen_by = 'list';
      create index processor_facts_lacked on processor_facts (account_id) where lacked;
      create index processor_facts_ending_holds on processor_facts (account_id, about) where kind in ('capture', 'release');
      -- What is read to be deleted alone: rows are added in the order of time, and those of lists go first.
      create index processor_facts_by_age on processor_facts using brin (seen_at);
      create index processor_facts_of_lists on processor_facts (seen_at) where seen_by = 'list' and not lacked;

      create function refuse_to_change_facts() returns trigger language plpgsql as $$
      begin
        raise exception 'what a processor did is not changed: add what was seen since';
      end $$;
      create trigger processor_facts_append_only before update on processor_facts
        for each statement execute function refuse_to_change_facts()`);
  }
}
