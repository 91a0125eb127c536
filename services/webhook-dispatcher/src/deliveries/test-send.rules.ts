import { priorities } from './priority.rules.ts';

/**
 * Whether a delivery of `deliveries` is a test send: its event has no number in the account's log. Events of test orders
 * have one. Most have another priority, too, so that their events are not looked up; those that a recovery or a redelivery
 * has sent again have the same. The limit keeps the planner from reading all events for a join.
 * @param of the name that the statement gives to the delivery
 */
export const isTestSend = (of: string): string => `(${of}.test and ${of}.priority = ${priorities.resent}
  and coalesce((select e.sequence is null from events e
    where e.account_id = ${of}.account_id and e.id = ${of}.event_id limit 1), false))`;
