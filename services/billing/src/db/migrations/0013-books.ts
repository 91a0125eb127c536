import { Migration } from '@app/service-kit/migrations';

/**
 * told_orphans  what stood on one side only, at the processor or here, when the books were compared, and was told: each once.
 *               `id` is the processor's reference or our payment's id, as `side` says.
 */
export class ToldOrphans extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table told_orphans (
        account_id text not null,
        processor text not null,
        side text not null check (side in ('processor', 'platform')),
        kind text not null check (kind in ('charge', 'refund')),
        id text not null,
        told_at timestamptz not null,
        primary key (account_id, processor, side, kind, id)
      )`);
    this.addSql('create index told_orphans_by_age on told_orphans (told_at)');
    this.addSql('create index charges_by_time on charges (account_id, charged_at, id) where not test');
  }
}
