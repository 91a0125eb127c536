import { Migration } from '@app/service-kit/migrations';

/**
 * `unfollowed` in `seen_by`: a list showed it, and what follows from it could not be recorded. The next reading tries again with this row, whether its
 * list goes back so far or not. The new condition allows more than the old one, so no row is compared with it.
 */
export class UnfollowedFacts extends Migration {
  override up(): void {
    this.addSql(`
      alter table processor_facts
        drop constraint processor_facts_seen_by_check,
        add constraint processor_facts_seen_by_check
          check (seen_by in ('answer', 'look-up', 'webhook', 'list', 'seller', 'unfollowed')) not valid;
      create index processor_facts_unfollowed on processor_facts (account_id, processor, test, position)
        where seen_by = 'unfollowed'`);
  }
}
