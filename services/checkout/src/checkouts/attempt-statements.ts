import { type Client, statement, type Write } from '@app/service-kit/database';
import { byNoIndex, isOneRow, sameKey } from '@app/service-kit/planner';
import { recordOf } from '@app/service-kit/row-arrays';
import type { Beginning, EarlierPurchase, LockedCheckout, ShopMode } from './begin-attempts.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';

type CheckoutKey = Pick<CheckoutRow, 'account_id' | 'id'>;

/** Who buys what, by the key of the email. */
export interface Buyer {
  readonly account_id: string;
  readonly product_id: string;
  readonly email_key: string;
}

/** A buyer who begins to pay a checkout (`id`), and since when a purchase of theirs counts as repeated. */
export interface PayingBuyer extends Buyer {
  readonly id: string;
  readonly digests: readonly string[];
  readonly since: Date;
}

const lockBuyersStatement = statement<{ locked: unknown }>(
  'buyers-lock',
  `select pg_advisory_xact_lock(key) as locked from (
     select distinct hashtextextended(buyer, 16) as key from unnest($1::text[]) as buyer order by key
   ) as buyers`,
  { locked: 'void' },
);

/**
 * Of two attempts of one buyer at the same time the second one waits here. What it reads afterwards it reads in another
 * statement, which sees what was committed while this one waited. The keys are sorted, so that two transactions never wait for
 * each other; the release before locks the same ones.
 */
export const buyersLock = (buyers: readonly Buyer[]) =>
  lockBuyersStatement([
    buyers.map(({ account_id, product_id, email_key }) => `${account_id} ${product_id} ${email_key}`),
  ]);

// The look-up is lateral: of an array the planner expects ten rows, and would read a young table whole for them.
const lockCheckoutsStatement = statement<LockedCheckout>(
  'checkouts-lock-to-begin',
  `select c.* from (
     select * from unnest($1::text[], $2::text[]) as w(account_id, id) order by id
   ) as w cross join lateral (
     select id, status, revision, test, settings_revision, order_id, attempt_no, discount_id from checkouts
     where account_id = w.account_id and id = w.id for update
   ) as c`,
  {
    ...{ id: 'text', status: 'text', revision: 'int4', test: 'bool', settings_revision: 'int4' },
    ...{ order_id: 'text', attempt_no: 'int4', discount_id: 'text' },
  },
);

/** Locks checkouts in the order of their ids, as everything does that changes several. */
export const checkoutsLock = (keys: readonly CheckoutKey[]) =>
  lockCheckoutsStatement([keys.map(({ account_id }) => account_id), keys.map(({ id }) => id)]);

const modesStatement = statement<ShopMode>(
  'account-settings-modes',
  `select account_id, revision, (settings ->> 'testMode')::boolean as test_mode,
     (settings ->> 'immediateAccessConsent')::boolean as asks_consent from account_settings
   where account_id = any ($1::text[])`,
  { account_id: 'text', revision: 'int4', test_mode: 'bool', asks_consent: 'bool' },
);

/** The mode of each account's shop; none for one whose settings no event has brought. */
export const modesQuery = (accountIds: readonly string[]) => modesStatement([[...new Set(accountIds)]]);

const buyerTypes = {
  ...{ id: 'text', account_id: 'text', product_id: 'text', email_key: 'text' },
  ...{ digests: 'text[]', since: 'timestamptz' },
} as const;
// Two indexes begin with the account: where nothing is known of a young table, the planner would take that of the product, and read all its orders.
const ofBuyer = `account_id = b.account_id and email_key = b.email_key and ${byNoIndex('product_id = b.product_id')}`;

const earlierStatement = statement<EarlierPurchase & { id: string }>(
  'purchases-of-buyers',
  `select b.id, e.order_id, e.same from json_to_recordset($1::json) as b(${recordOf(buyerTypes)}) cross join lateral (
     select p.order_id, coalesce((
       select t.buyer_digests && b.digests from checkouts as c
       join checkout_attempts as t on t.checkout_id = c.id and t.attempt_no = c.attempt_no
       where c.account_id = b.account_id and c.order_id = p.order_id), false) as same
     from (
       select id as order_id from orders where ${ofBuyer}
         and not test and status in ('paid', 'authorized') and coalesce(paid_at, created_at) > b.since
       union all
       select order_id from sold_subscriptions where ${ofBuyer} and ended_at is null
       union all
       select order_id from checkouts where ${ofBuyer}
         and status in ('processing', 'requires_action') and not test and id <> b.id
     ) as p order by same desc limit 1
   ) as e`,
  { id: 'text', order_id: 'text', same: 'bool' },
);

/**
 * Of each buyer one purchase that was paid since a time, is under way, or lives on as a subscription, by the id of the checkout
 * that begins; rather one that has a digest in common with it. A buyer may have made any number, so only one is read.
 */
export const earlierPurchasesQuery = (buyers: readonly PayingBuyer[]) => earlierStatement([JSON.stringify(buyers)]);

const givenUpStatement = statement<{ id: string }>(
  'checkouts-given-up',
  `select w.id from unnest($1::text[], $2::text[]) as w(account_id, id) cross join lateral (
     select from checkout_attempts as t
     where t.account_id = w.account_id and t.checkout_id = w.id and t.reason = 'try_again_later' limit 1
   ) as t`,
  { id: 'text' },
);

/** The ids of those checkouts of which an attempt was given up. */
export async function findGivenUp(client: Client, keys: readonly CheckoutKey[]): Promise<ReadonlySet<string>> {
  const values = [keys.map(({ account_id }) => account_id), keys.map(({ id }) => id)];
  const { rows } = await client.query(givenUpStatement(values));
  return new Set(rows.map(({ id }) => id));
}

// `isOneRow`: of an array the planner expects ten rows, and would read a young table whole for them.
const beginStatement = statement(
  'checkouts-begin',
  `update checkouts as c set status = 'processing', revision = c.revision + 1, attempt_no = c.attempt_no + 1,
     order_id = b.order_id, discount_id = b.discount_id, checked_at = b.checked_at, active_at = b.checked_at, reason = null,
     action_url = null
   from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $2::text[])
     as b(account_id, id, order_id, discount_id, checked_at, ${sameKey})
   where c.account_id = b.account_id and c.id = b.id and ${isOneRow('b')}`,
);

const attemptTypes = {
  ...{ account_id: 'text', checkout_id: 'text', attempt_no: 'int4', command_id: 'text', sale: 'json' },
  ...{ created_at: 'timestamptz', buyer_digests: 'text[]', repeats_order: 'text' },
} as const;
const attemptColumns = Object.keys(attemptTypes).join(', ');

const insertAttemptsStatement = statement(
  'checkout-attempts-insert',
  `insert into checkout_attempts (${attemptColumns})
   select ${attemptColumns} from json_to_recordset($1::json) as t(${recordOf(attemptTypes)})`,
);

/** The statements that move checkouts on and fix their sales. Their rows are locked. */
export function beginningWrites(beginnings: readonly Beginning[]): readonly Write[] {
  if (beginnings.length === 0) return [];
  const checkouts = [
    beginnings.map(({ row }) => row.account_id),
    beginnings.map(({ row }) => row.id),
    beginnings.map(({ row }) => row.order_id),
    beginnings.map(({ discountId }) => discountId),
    // When the attempt begins; the sweep's clock runs from then on.
    beginnings.map(({ row }) => row.attempt_began_at),
  ];
  const attempts = beginnings.map(({ attempt, row }) => {
    const { account_id, id, attempt_no, sale, repeats_order, attempt_began_at } = row;
    const { commandId: command_id, digests } = attempt;
    const buyer_digests = row.test || digests.length === 0 ? null : digests;
    return {
      account_id,
      checkout_id: id,
      attempt_no,
      command_id,
      sale,
      created_at: attempt_began_at,
      buyer_digests,
      repeats_order,
    };
  });
  return [beginStatement(checkouts), insertAttemptsStatement([JSON.stringify(attempts)])];
}
