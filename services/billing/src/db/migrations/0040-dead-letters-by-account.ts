import { Migration } from '@app/service-kit/migrations';

/**
 * The account of a dead letter, as its text has it: a payload that is not JSON, which is one reason to be given up on, would
 * make the index refuse its row.
 */
export const accountOfLetter = `substring(payload from '"accountId":"([^"]{1,64})"')`;

/** For the daily run of each account, which looks for the sales that this service gave up on. */
export class DeadLettersByAccount extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create index dead_letters_of_account on dead_letters (subject, (${accountOfLetter}), event_id)`);
  }
}
