import { Migration } from '@app/service-kit/migrations';
import { waitingLettersIndex } from './tables.ts';

class WaitingLetters extends Migration {
  override up(): void {
    this.addSql(waitingLettersIndex);
  }
}

/** The second migration of every service: all of them have the messaging tables. */
export const waitingLettersMigration = { name: '0002-messaging-waiting-letters', class: WaitingLetters };
