import { Migration } from '@app/service-kit/migrations';

/** The metric of the conservation counts what was repaired lately; `lost_deliveries` keeps what was ever repaired. */
export class RepairedLately extends Migration {
  override async up(): Promise<void> {
    await this.execute(
      'create index lost_deliveries_repaired on lost_deliveries (repaired_at) where repaired_at is not null',
    );
  }
}
