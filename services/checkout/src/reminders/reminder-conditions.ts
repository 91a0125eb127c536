/** SQL that several statements of reminders share. `c` is a checkout, `buyer` the key of its email. */

/**
 * Money that was lost with its hold is no purchase. A refunded one is: the buyer has decided. Who subscribes to the product has
 * bought it, however long ago.
 */
export const hasBought = (account: string, buyer: string): string => `(exists (
  select from orders as o where o.account_id = ${account} and o.email_key = ${buyer}
    and o.product_id = c.product_id and not o.test and o.status <> 'expired' and o.created_at >= c.created_at)
  or exists (
    select from sold_subscriptions as s where s.account_id = ${account} and s.email_key = ${buyer}
      and s.product_id = c.product_id and s.ended_at is null))`;

/** As `canReceiveEmail` says of an address. */
export const canReceive = `c.email_key not like '%.invalid'`;

export const optedOut = (account: string, buyer: string): string =>
  `exists (select from opt_outs as u where u.account_id = ${account} and u.email_key = ${buyer})`;

/** A mail server that refused a reminder is retried once a day, by three runs at most. */
const refusalsMax = 3;
const refusedAgainAfter = `interval '20 hours'`;

/**
 * Whether a reminder keeps the next one out: it is being submitted, it went out within the quiet days, or the mail server
 * refused it for good. One that was not taken for another reason keeps nothing out.
 */
export const isDone = (now: string, quietSince: string): string =>
  `(r.sent_at > ${quietSince} or (r.status = 'failed' and (r.refusals >= ${refusalsMax}
     or r.refused_at > ${now}::timestamptz - ${refusedAgainAfter})))`;

/** The same, or a run has claimed it. */
export const keepsOut = (now: string, quietSince: string): string =>
  `(${isDone(now, quietSince)} or (r.status = 'claimed' and r.claimed_until > ${now}))`;
