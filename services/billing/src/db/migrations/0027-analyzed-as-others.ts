import { Migration } from '@app/service-kit/migrations';

/** How often these are analyzed is the server's to say, as for all other tables: that of `npm start` says less often. */
export class AnalyzedAsOthers extends Migration {
  override async up(): Promise<void> {
    for (const table of ['payments', 'subscriptions', 'renewals'])
      this.addSql(`alter table ${table} reset (autovacuum_analyze_scale_factor, autovacuum_analyze_threshold)`);
  }
}
