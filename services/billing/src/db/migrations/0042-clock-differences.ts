import { Migration } from '@app/service-kit/migrations';

/**
 * How far the system clock of the replica that wrote the payment was ahead of the database's, in milliseconds: replicas whose
 * clocks differ measure by it how long ago the payment was sent. 0 for payments of earlier versions.
 */
export class ClockDifferences extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payments add column sent_ahead_ms bigint not null default 0');
  }
}
