import { Migration } from '@app/service-kit/migrations';

/** Holds are compared with the processor's list as charges are: in the order of time. */
export class HeldInBooks extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table told_orphans drop constraint told_orphans_kind_check,
        add constraint told_orphans_kind_check check (kind in ('charge', 'refund', 'hold'))`);
    this.addSql('create index holds_by_time on holds (account_id, held_at, payment_id) where not test');
  }
}
