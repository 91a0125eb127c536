import { Migration } from '@app/service-kit/migrations';

/** Endpoints to which nothing was delivered since `since`; a success removes the row. `events` counts first tries. */
export class FailingEndpoints extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table failing_endpoints (
        endpoint_id text collate "C" primary key,
        account_id text not null,
        since timestamptz not null,
        last_at timestamptz not null,
        attempts int not null,
        events int not null
      )`);
  }
}
