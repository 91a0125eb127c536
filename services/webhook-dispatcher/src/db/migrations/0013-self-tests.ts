import { Migration } from '@app/service-kit/migrations';

/** Self-tests that run, one at most for an endpoint. The row is void after `until`: its process died. */
export class SelfTests extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table self_tests (
        endpoint_id text collate "C" primary key,
        account_id text not null,
        command_id text not null,
        until timestamptz not null
      )`);
  }
}
