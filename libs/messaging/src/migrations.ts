import { Migration } from '@app/service-kit/migrations';
import { eventTriesAndReplays, publishedAtAndPruneIndexes } from './tables.ts';

class PublishedAt extends Migration {
  override up(): void {
    this.addSql(publishedAtAndPruneIndexes);
  }
}

class EventTries extends Migration {
  override up(): void {
    this.addSql(eventTriesAndReplays);
  }
}

/** The second migration of the messaging tables, listed by every service that has them. */
export const publishedAtMigration = { name: '0002-messaging-published-at', class: PublishedAt };

/** The third, for every service that has them. */
export const eventTriesMigration = { name: '0003-messaging-event-tries', class: EventTries };
