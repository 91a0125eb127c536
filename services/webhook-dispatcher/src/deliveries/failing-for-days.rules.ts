import { dayMs } from '@app/contracts/durations';

/** The failures of an endpoint without a success since the first of them, as `failing_endpoints` stores them. */
export interface Failing {
  readonly since: Date;
  readonly last_at: Date;
  readonly attempts: number;
  /** Events whose first attempt failed. */
  readonly events: number;
  /** When its seller was notified; null before. */
  readonly warned_at: Date | null;
}

/**
 * Whether the endpoint is to be switched off. Five days are longer than all attempts of one delivery take together (71
 * hours). The minimum of 20 attempts and 3 events protects an endpoint that gets one event a week from being switched off
 * because of one of them.
 */
export const mustSwitchOff = ({ since, last_at: lastAt, attempts, events }: Failing): boolean =>
  lastAt.getTime() - since.getTime() >= 5 * dayMs && attempts >= 20 && events >= 3;

/** Whether the seller is to be notified. A day of failures is no short outage: one delivery is tried nine or ten times in it. */
const mustWarn = ({ since, last_at: lastAt, attempts, warned_at: warnedAt }: Failing): boolean =>
  warnedAt === null && lastAt.getTime() - since.getTime() >= dayMs && attempts >= 5;

/** Whether the endpoint is to be switched off, or its seller is to be notified. */
export const needsVerdict = (failing: Failing): boolean => mustSwitchOff(failing) || mustWarn(failing);
