import { Migration } from '@app/service-kit/migrations';

/** `expected_cents` of a refund: what its caller was shown. Null where the caller does not say, and for those before. */
export class ExpectedRefunds extends Migration {
  override up(): void {
    this.addSql('alter table refunds add expected_cents bigint check (expected_cents >= 0)');
  }
}
