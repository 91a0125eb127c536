import { Migration } from '@app/service-kit/migrations';

/** `held`: capacity that attempts under way have taken. They give it back, or it becomes `taken`, when their outcome is known. */
export class HeldCapacity extends Migration {
  override up(): void {
    this.addSql('alter table rate_windows add column held integer not null default 0');
  }
}
