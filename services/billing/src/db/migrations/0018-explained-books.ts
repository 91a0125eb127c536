import { Migration } from '@app/service-kit/migrations';

/**
 * processor_comparisons.explained_until  the end of the last comparison, when it was whole and showed no orphan; null
 *                                        otherwise. Later comparisons of that day may begin there.
 * processor_comparisons.looked_back_at   when a comparison last looked at what had been compared before as well.
 */
export class ExplainedBooks extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table processor_comparisons
        add column explained_until timestamptz,
        add column looked_back_at timestamptz`);
  }
}
