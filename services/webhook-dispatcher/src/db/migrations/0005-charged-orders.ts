import { Migration } from '@app/service-kit/migrations';

/** `events.charged`: money was taken for the order by a processor that moves money. False in rows of the release before. */
export class ChargedOrders extends Migration {
  override up(): void {
    this.addSql('alter table events add charged boolean not null default false');
  }
}
