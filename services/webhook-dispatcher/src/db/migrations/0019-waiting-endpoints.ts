import { Migration } from '@app/service-kit/migrations';

/** Why what is due to an endpoint waits, as its dispatcher last found (deliveries/record-waiting.ts): for readers alone. */
export class WaitingEndpoints extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table waiting_endpoints (
        endpoint_id text collate "C" primary key,
        account_id text not null,
        reason text not null check (reason in ('host_rate', 'mail_server')),
        per_second int not null,
        at timestamptz not null
      ) with (fillfactor = 50)`);
  }
}
