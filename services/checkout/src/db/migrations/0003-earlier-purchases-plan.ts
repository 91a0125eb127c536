import { Migration } from '@app/service-kit/migrations';

/**
 * What `earlier_purchases` reads is planned once for a connection. PostgreSQL compared the plan's cost with that of plans which it
 * had made when the tables were smaller, and so planned each fifth call anew, which takes longer than the call.
 */
export class EarlierPurchasesPlan extends Migration {
  override up(): void {
    this.addSql('alter function earlier_purchases(json) set plan_cache_mode = force_generic_plan');
  }
}
