import { Migration } from '@app/service-kit/migrations';

/**
 * What stops charges in the ledger stops a process of the release before too, as in a rolling update or after going back to it: its
 * `unmatched_payments` gets what is lacked, and what the seller confirmed. `copy_unmatched_payment` copies the other way; neither copies what the other one wrote.
 * That release takes a payment with the row's `payment_id` for an explanation. Here a renewal or a refund that was lacked waits for the
 * seller although it is recorded, so their rows name no payment.
 */
export class StopsOfBothReleases extends Migration {
  override up(): void {
    this.addSql(`
      create function copy_lacked_fact() returns trigger language plpgsql as $$
      begin
        if new.lacked then
          insert into unmatched_payments (account_id, processor, reference, payment_id, kind, amount_cents, currency, order_id,
            recorded_at, found_at)
          values (new.account_id, new.processor, new.reference,
            case when new.kind = 'refund' or exists (
              select from subscriptions as s where s.account_id = new.account_id and s.order_id = new.order_id
            ) then '' else new.payment_id end,
            new.kind, new.amount_cents, new.currency, new.order_id, coalesce(new.happened_at, new.seen_at), new.seen_at)
          on conflict do nothing;
        else
          update unmatched_payments set confirmed_at = new.seen_at
          where account_id = new.account_id and processor = new.processor and reference = new.reference and confirmed_at is null;
        end if;
        return null;
      end $$;
      create trigger processor_facts_stop_both_releases after insert on processor_facts for each row
        when ((new.lacked or new.seen_by = 'seller') and not new.test and pg_trigger_depth() = 0)
        execute function copy_lacked_fact();
      drop trigger unmatched_payments_are_facts on unmatched_payments;
      create trigger unmatched_payments_are_facts after insert or update on unmatched_payments for each row
        when (pg_trigger_depth() = 0) execute function copy_unmatched_payment()`);
  }
}
