import { Migration } from '@app/service-kit/migrations';

/**
 * processor_pace  when the next request of an account to an endpoint of its processor may be sent, over all replicas. What a crash
 *                 loses was a fraction of a second.
 */
export class ProcessorPace extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create unlogged table processor_pace (
        account_id text not null,
        test boolean not null,
        endpoint text not null,
        next_at timestamptz not null,
        primary key (account_id, test, endpoint)
      ) with (fillfactor = 50)`);
  }
}
