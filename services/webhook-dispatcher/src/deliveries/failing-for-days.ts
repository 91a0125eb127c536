/**
 * Five days are longer than all attempts of one delivery take together (71 hours). The minimum of 20 attempts and 3 events
 * protects an endpoint that gets one event a week from being switched off because of one of them.
 */
export const failedForDaysSql = `last_at >= since + interval '5 days' and attempts >= 20 and events >= 3`;
/** A day of failures is no short outage. One delivery alone is tried nine or ten times in it. */
const failedForADay = `warned_at is null and last_at >= since + interval '24 hours' and attempts >= 5`;
/** Whether an endpoint of `failing_endpoints` is to be switched off, or its seller is to be notified. */
export const failedForADayOrFiveSql = `(${failedForDaysSql} or ${failedForADay})`;
