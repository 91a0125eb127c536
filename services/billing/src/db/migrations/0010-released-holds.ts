import { Migration } from '@app/service-kit/migrations';

/**
 * A seller releases a hold: `released` is a decision on it, which keeps it from being captured. `lost_because` says why a hold took
 * nothing: the seller released it, here or at the processor, or it expired there; null for those that ended before, which had expired.
 */
export class ReleasedHolds extends Migration {
  override up(): void {
    this.addSql(`
      alter table holds drop constraint holds_decision_check,
        add constraint holds_decision_check check (decision in ('accepted', 'declined', 'not_decided', 'released')),
        add lost_because text check (lost_because in ('released', 'expired')),
        add constraint lost_has_a_reason check (lost_because is null or status = 'lost')`);
  }
}
