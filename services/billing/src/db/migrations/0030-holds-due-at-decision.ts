import { Migration } from '@app/service-kit/migrations';

/** Holds of the version before waited for the daily run, for 26 hours after the end of their window. */
export const holdsDueAtDecision = "update holds set due_at = decide_by where status = 'held' and due_at > decide_by";

export class HoldsDueAtDecision extends Migration {
  override async up(): Promise<void> {
    this.addSql(holdsDueAtDecision);
  }
}
