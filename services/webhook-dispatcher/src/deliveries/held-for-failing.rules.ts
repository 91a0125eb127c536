/** Why a delivery is held, as `deliveries.held_reason` stores it: its attempts have ended, and nothing reaches its endpoint. */
export const heldForFailing = 'endpoint_failing';

/** Of `deliveries`; the words of the index (0015-held-for-failing.ts). */
export const isHeldForFailing = `status = 'held' and held_reason = '${heldForFailing}'`;

/**
 * A first attempt that failed beside the endpoint's last success, in one batch or by the clock of another replica, does not
 * count as a failure (record-attempts.ts): the first one that does comes soon after.
 */
const soonAfter = `interval '10 seconds'`;

/**
 * Whether nothing has reached the endpoint of the attempt `a` since the first one of its delivery, or the first one after
 * it was sent again; `$2` are the endpoints to which the same batch has delivered. It is looked up for last attempts alone.
 * The clocks of replicas differ, so ids are compared by the part of their time that counts 17 minutes.
 */
export const nothingDelivered = `a.endpoint_id <> all ($2::text[])
  and exists (
    select from failing_endpoints f where f.endpoint_id = a.endpoint_id and f.account_id = a.account_id and f.since <= (
      select min(t.created_at) + ${soonAfter} from attempts t
      where t.delivery_id = a.delivery_id and t.account_id = a.account_id and t.id > 'att_' || substr(a.delivery_id, 5, 6)
        and t.number > (
          select schedule_from from deliveries d where d.id = a.delivery_id and d.account_id = a.account_id)))`;
