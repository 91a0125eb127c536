import { Migration } from '@app/service-kit/migrations';

/** `left_cents`  of the hold of a paid checkout, what was not taken: the seller captured a part at the processor. */
export class LeftOfHolds extends Migration {
  override up(): void {
    this.addSql('alter table checkouts add left_cents bigint not null default 0 check (left_cents >= 0)');
  }
}
