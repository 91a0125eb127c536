import { Migration } from '@app/service-kit/migrations';

/**
 * What stopped charges in `unmatched_payments` is what the ledger has as `lacked`, and what the seller confirmed there is seen by the
 * seller. The table stays for the release before: what a process of that release finds meanwhile, and has confirmed, is copied.
 */
export class UnmatchedFacts extends Migration {
  override up(): void {
    this.addSql(`
      create function copy_unmatched_payment() returns trigger language plpgsql as $$
      begin
        insert into processor_facts (account_id, processor, test, reference, kind, amount_cents, currency, happened_at, payment_id,
          order_id, seen_by, seen_at, lacked)
        select new.account_id, new.processor, false, new.reference, new.kind, new.amount_cents, new.currency, new.recorded_at,
          new.payment_id, new.order_id, seen.by, seen.at, seen.by = 'list'
        from (values ('list', new.found_at), ('seller', new.confirmed_at)) as seen(by, at)
        where seen.at is not null
        on conflict do nothing;
        return null;
      end $$;
      create trigger unmatched_payments_are_facts after insert or update on unmatched_payments
        for each row execute function copy_unmatched_payment();
      update unmatched_payments set found_at = found_at`);
  }
}
