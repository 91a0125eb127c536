import { Migration } from '@app/service-kit/migrations';

/** Whether the processor refuses an account's renewals alike is asked of each that it refused: there are few of them. */
export class RefusedRenewals extends Migration {
  override up(): void {
    this.addSql(`create index payments_refused_renewals on payments (account_id, finished_at)
      where step = 'renewal' and decline_reason in ('request_refused', 'request_refused_again')`);
  }
}
