import { statement } from '@app/service-kit/database';
import type { RetentionRule } from '@app/service-kit/retention';
import { streamKeepDays } from './streams.ts';

/** An inbox must remember an event for as long as the stream can still deliver it, and a day more. */
export const inboxKeepDays = streamKeepDays + 1;
/** Time enough to read a dead letter, mend its cause and replay it. */
export const deadLetterKeepDays = 90;

/*
 * By the place of each row, oldest first: a statement reads what it deletes. By its id it would be looked up among all, and while no plan knows
 * what $2 is, PostgreSQL reads the whole table for that.
 */
const messages: readonly RetentionRule[] = [
  statement(
    'retention-inbox',
    `delete from inbox where ctid = any (array
     (select ctid from inbox where received_at < now() - make_interval(days => $1) order by received_at limit $2))`,
  ),
  statement(
    'retention-commands',
    `delete from commands where ctid = any (array
     (select ctid from commands where created_at < now() - make_interval(days => $1) order by created_at limit $2))`,
  ),
  statement(
    'retention-event-attempts',
    `delete from event_attempts where event_id in
     (select event_id from event_attempts where attempted_at < now() - make_interval(days => $1) limit $2)`,
  ),
].map((expired) => ({ statement: expired, limit: () => inboxKeepDays }));

const deadLetters: RetentionRule = {
  statement: statement(
    'retention-dead-letters',
    `delete from dead_letters where ctid = any (array
     (select ctid from dead_letters where died_at < now() - make_interval(days => $1) order by died_at limit $2))`,
  ),
  limit: () => deadLetterKeepDays,
};

/** The rules of the messaging tables; a service lists those of its own tables after them. */
export const messagingRetention: readonly RetentionRule[] = [...messages, deadLetters];
