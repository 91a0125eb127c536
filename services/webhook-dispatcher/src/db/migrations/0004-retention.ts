import { Migration } from '@app/service-kit/migrations';

/**
 * `retention` stores the progress of each step of retention/steps.ts. Ids sort by time, so a step continues from there
 * along an index, and reads neither the rows that it has done nor the rows that are not expired.
 */
export class Retention extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table retention (
        step text primary key,
        done_until text collate "C" not null default ''
      )`);
    this.addSql(`
      insert into retention (step) values
        ('give-up-waiting'), ('clear-bodies'), ('clear-excerpts'), ('delete-attempts'), ('delete-notices'),
        ('delete-deliveries')`);
    this.addSql('create index attempts_by_time on attempts (id)');
    this.addSql('create index notices_by_time on notices (id)');
  }
}
