import { Migration } from '@app/service-kit/migrations';

/** Until when an account's refunds were compared with the list of a processor; live money and rehearsals apart. */
export class ProcessorComparisons extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table processor_comparisons (
        account_id text not null,
        processor text not null,
        test boolean not null,
        compared_until timestamptz not null,
        primary key (account_id, processor, test)
      )`);
  }
}
