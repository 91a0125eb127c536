import { Migration } from '@app/service-kit/migrations';

/**
 * refunded_orders  also orders of which a dispute was lost: `by_dispute` says why the subscription ends.
 * disputes         `given_back_cents` is what a lost one gave back of its charge, which is less than it took where other disputes and
 *                  refunds left less; null of one that was lost before this was stored: then it is all that it took.
 */
export class LostDisputes extends Migration {
  override up(): void {
    this.addSql(`
      alter table refunded_orders add column by_dispute boolean not null default false;
      alter table disputes add column given_back_cents bigint`);
  }
}
