import { readSettingsOf } from '@app/account-settings/read-settings';
import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { listCheckouts as contract, UnfinishedCheckout } from '@app/contracts/unfinished-checkouts';
import type { Clock } from '@app/service-kit/clock';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { pageOf, unknownBefore } from '@app/service-kit/paging';
import { lastActive } from './last-active.ts';

interface Row extends Omit<UnfinishedCheckout, 'created_at' | 'last_active_at' | 'reminded_at'> {
  readonly created_at: Date;
  readonly last_active_at: Date;
  readonly reminded_at: Date | null;
}

const types: ColumnsOf<Row> = {
  id: 'text',
  status: 'text',
  product_id: 'text',
  customer_email: 'text',
  customer_name: 'text',
  country: 'text',
  discount_code: 'text',
  affiliate_code: 'text',
  reason: 'text',
  created_at: 'timestamptz',
  last_active_at: 'timestamptz',
  reminded_at: 'timestamptz',
};

/** An email has gone out about this very checkout, or about the one that it is a copy of; a reminder has its latest row alone for each buyer and product. */
const reminder = `lateral (
  select r.sent_at from reminders as r
  where r.account_id = c.account_id and r.email_key = c.email_key and r.product_id = c.product_id
    and r.checkout_id in (c.id, c.copy_of) and r.status in ('sending', 'sent') limit 1)`;
/** A copy takes the place of its original once its buyer has done something with it: a link that was only opened twice is no second buyer. */
const standsForItself = `(c.copy_of is null or c.revision > 0)
  and not exists (select from checkouts as k where k.account_id = c.account_id and k.copy_of = c.id and k.revision > 0)`;
const status = `case when c.status = 'expired' then 'expired' when r.sent_at is not null then 'reminded'
  when ${lastActive} <= $6 then 'stalled' else 'open' end`;

/**
 * `$1` the account, `$2` before which id, `$3` how many, `$4` of which status or null, `$5` of which product or null, `$6` since
 * when one that was not touched has stalled. An account has a bounded number of these (`OPEN_CHECKOUTS_PER_ACCOUNT`, and 60 days), so
 * that both filters are compared along the index.
 */
const listStatement = (name: string, ofIndex: string) =>
  statement<Row>(
    name,
    `select c.id, ${status} as status, c.product_id, c.email as customer_email, coalesce(c.name, '') as customer_name,
       c.country, c.discount_code, c.affiliate_code, c.reason, c.created_at, ${lastActive} as last_active_at,
       r.sent_at as reminded_at
     from checkouts as c left join ${reminder} as r on true
     where c.account_id = $1 and ${ofIndex} and c.email is not null and not c.test and substr(c.id, 5) < substr($2, 5)
       and ($4::text is null or ${status} = $4) and ($5::text is null or c.product_id = $5)
       and ${standsForItself}
     order by substr(c.id, 5) desc limit $3`,
    types,
  );
const unfinished = listStatement('checkouts-unfinished', `c.status in ('open', 'expired')`);
const expired = listStatement('checkouts-expired', `c.status = 'expired'`);

const known = statement('checkouts-known', 'select from checkouts where account_id = $1 and id = $2');

/** Sorts after every checkout's id: the first character of its suffix is a digit. */
const afterAllIds = 'cko_z';

/**
 * Checkouts whose buyers gave an email and have not paid, newest first, without rehearsals.
 * @throws DomainError validation_failed when `before` is the id of no checkout of the account
 */
export async function listCheckouts(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  accountId: string,
  { status: wanted, productId, ...page }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const { pool } = database;
  const { nudgeAfterMinutes } = await readSettingsOf(pool, accountId);
  const idleSince = new Date(clock.nowMs() - nudgeAfterMinutes * 60_000);
  const rowsMax = (page.limit ?? limits.listMax) + 1;
  const values = [accountId, page.before ?? afterAllIds, rowsMax, wanted ?? null, productId ?? null, idleSince];
  const [{ rows }, position] = await Promise.all([
    pool.query((wanted === 'expired' ? expired : unfinished)(values)),
    page.before === undefined ? undefined : pool.query(known([accountId, page.before])),
  ]);
  if (position?.rowCount === 0) throw unknownBefore();
  const { data, ...rest } = pageOf(rows, page);
  return { data: data.map(resourceOf), ...rest };
}

const resourceOf = ({ created_at, last_active_at, reminded_at, ...row }: Row): UnfinishedCheckout => ({
  ...row,
  created_at: created_at.toISOString(),
  last_active_at: last_active_at.toISOString(),
  reminded_at: reminded_at?.toISOString() ?? null,
});
