import { Migration } from '@mikro-orm/migrations';
import { publishedAtAndPruneIndexes } from './tables.ts';

class PublishedAt extends Migration {
  override up(): void {
    this.addSql(publishedAtAndPruneIndexes);
  }
}

/** The second migration of the messaging tables, listed by every service that has them. */
export const publishedAtMigration = { name: '0002-messaging-published-at', class: PublishedAt };
