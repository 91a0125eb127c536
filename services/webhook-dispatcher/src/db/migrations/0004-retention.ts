import { Migration } from '@mikro-orm/migrations';

/**
 * `retention` holds, for each step of retention/steps.ts, how far it has come. Ids sort by time, so a step goes on from
 * there along an index, and finds nothing to do without reading what it has done or what is still young.
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
