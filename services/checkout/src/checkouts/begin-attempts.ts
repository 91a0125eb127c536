import { hash } from 'node:crypto';
import { hourMs } from '@app/contracts/durations';
import { emailKey } from '@app/contracts/email-key';
import { idTimeMs, newId } from '@app/contracts/ids';
import { statement } from '@app/service-kit/database';
import { isOneRow, keyAgain } from '@app/service-kit/planner';
import { recordOf } from '@app/service-kit/row-arrays';
import { claimUsesSql } from '../discounts/claim-uses-sql.ts';
import type { Discount } from '../orders/order.rules.ts';
import type { CheckoutRow, Queryable } from './checkout-row.ts';
import type { FixedSale } from './fixed-sale.ts';

/** An attempt that begins: what it is for, and who requested it. */
export interface NewAttempt {
  readonly row: CheckoutRow;
  readonly sale: FixedSale;
  /** The discount whose use is to be claimed; null where none is, or where the attempt before has claimed it. */
  readonly claim: Discount | null;
  readonly commandId: string;
  readonly nowMs: number;
  readonly buyer: AttemptingBuyer;
}

/** What an attempt says of its buyer beside the email. */
export interface AttemptingBuyer {
  /** Of the browser, the address and the card; see `payCheckout`. */
  readonly digests: readonly string[];
  /** The buyer has confirmed that they want it once more. */
  readonly confirmsRepeat: boolean;
}

const incomingTypes = {
  account_id: 'text',
  id: 'text',
  revision: 'int4',
  order_id: 'text',
  checked_at: 'timestamptz',
  command_id: 'text',
  sale: 'json',
  claim_id: 'text',
  claim_max: 'int8',
  position: 'int4',
  takes_new_order_id: 'bool',
  digests: 'text[]',
  confirmed: 'bool',
} as const;

/**
 * One statement for attempts that begin at the same time:
 *
 *   earlier   what the same buyers have bought or are buying. Read first: it locks buyers before any checkout
 *   incoming  the attempts, each with what was found
 *   modes     the test mode of each account's shop: its settings are read once for an account
 *   priced    checkouts that were not changed since they were priced, locked in the order of their ids and before discounts.
 *             `same_mode`: the shop's test mode is that of the opening, as far as the newer of the opening and the settings here says
 *   due       `begins`: neither in the other mode nor a repetition by the same buyer that was not confirmed
 *   claims    those that begin and need a use of a discount; those that get one are in `granted`
 *   begun     an attempt after one that waited for the buyer keeps its claim
 *   tried     their attempts
 */
const beginStatement = statement<BegunRow>(
  'checkouts-begin-attempts',
  `with earlier as materialized (
     select checkout_id, order_id, same from purchases_of_buyers($2::json)
   ), incoming as materialized (
     select i.*, e.order_id as earlier_order, coalesce(e.same, false) as same
     from rows from (json_to_recordset($1::json) as (${recordOf(incomingTypes)})) as i
     left join earlier as e on e.checkout_id = i.id
     order by id
   ), modes as materialized (
     select account_id, revision, (settings ->> 'testMode')::boolean as test_mode from account_settings
     where account_id = any (array(select account_id from incoming))
   ), priced as materialized (
     select i.*, c.test, c.status, ${keyAgain('c.id')}, coalesce((
       select test_mode from modes as m
       where m.account_id = i.account_id and m.revision >= c.settings_revision), c.test) = c.test as same_mode
     from incoming as i cross join lateral (
       select id, test, status, settings_revision from checkouts
       where account_id = i.account_id and id = i.id and revision = i.revision
         and (status = 'open' or (status = 'requires_action' and i.claim_id is null))
       for update) as c
   ), due as materialized (
     select *, same_mode and (confirmed or not same) as begins from priced
   ), claims as (
     select id, account_id, claim_id as discount_id, claim_max as max_uses, test, position
     from due where claim_id is not null and begins
   ), ${claimUsesSql}, begun as (
     update checkouts as c set status = 'processing', revision = c.revision + 1, attempt_no = c.attempt_no + 1,
       order_id = case when d.takes_new_order_id and not exists (select from checkout_attempts as t
           where t.account_id = d.account_id and t.checkout_id = d.id and t.reason = 'try_again_later')
         then d.order_id else coalesce(c.order_id, d.order_id) end, checked_at = d.checked_at, reason = null, action_url = null,
       discount_id = case when d.status = 'open' then d.claim_id else c.discount_id end
     from due as d
     where c.account_id = d.account_id and c.id = d.id and ${isOneRow('d')}
       and d.begins and (d.claim_id is null or d.id in (select id from granted))
     returning c.account_id, c.id, c.attempt_no, c.order_id, d.command_id, d.sale, d.checked_at, d.digests,
       case when not d.same then d.earlier_order end as repeats_order
   ), tried as (
     insert into checkout_attempts (account_id, checkout_id, attempt_no, command_id, sale, created_at, buyer_digests, repeats_order)
     select account_id, id, attempt_no, command_id, sale, checked_at, digests, repeats_order from begun
   )
   select d.id, d.same_mode, d.begins, f.attempt_no, f.order_id, f.repeats_order from due as d left join begun as f on f.id = d.id`,
  { begins: 'bool', id: 'text', order_id: 'text', repeats_order: 'text', same_mode: 'bool', attempt_no: 'int4' },
);

interface BegunRow {
  readonly id: string;
  readonly same_mode: boolean;
  readonly begins: boolean;
  /** Null when the mode is another, the discount was used up, or the buyer has bought the product. */
  readonly attempt_no: number | null;
  readonly order_id: string | null;
  readonly repeats_order: string | null;
}

/**
 * The checkout as it is then. `stale`: it was changed since it was read. `used up`: the discount was. `other mode`: the shop's
 * test mode was switched since the opening. `already bought`: by the same buyer, and not confirmed.
 */
export type BegunAttempt = CheckoutRow | 'stale' | 'used up' | 'other mode' | 'already bought';

/**
 * Begins attempts: one statement fixes their sales, claims the discounts' uses and moves the checkouts on. Of two attempts of
 * one checkout the first one begins.
 */
export async function beginAttempts(db: Queryable, attempts: readonly NewAttempt[]): Promise<BegunAttempt[]> {
  const firsts = new Map(attempts.toReversed().map((attempt) => [attempt.row.id, attempt]));
  const byId = new Map<string, BegunRow>();
  for (const round of roundsOf(attempts.filter((attempt) => firsts.get(attempt.row.id) === attempt))) {
    const recognized = round.map((attempt) => ({ ...attempt, digests: digestsOf(attempt) }));
    const values = [JSON.stringify(recognized.map(incomingOf)), JSON.stringify(recognized.flatMap(buyerOf))];
    const { rows } = await db.query(beginStatement(values));
    for (const row of rows) byId.set(row.id, row);
  }
  return attempts.map((attempt) =>
    firsts.get(attempt.row.id) === attempt ? begunOf(attempt, byId.get(attempt.row.id)) : 'stale',
  );
}

/**
 * A statement does not see what itself begins: of attempts of one buyer for one product each goes in a statement of its own.
 * Nearly always there is one.
 */
function roundsOf(attempts: readonly NewAttempt[]): NewAttempt[][] {
  const rounds: NewAttempt[][] = [];
  const seen = new Map<string, number>();
  for (const attempt of attempts) {
    const { account_id, product_id, id, test } = attempt.row;
    const key = `${account_id} ${product_id} ${test ? id : emailKeyOf(attempt)}`;
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    const group = rounds[round];
    if (group === undefined) rounds.push([attempt]);
    else group.push(attempt);
  }
  return rounds;
}

const emailKeyOf = ({ sale }: NewAttempt): string => emailKey(sale.email);

/** A purchase counts as repeated for so long. */
const repeatMs = hourMs;

interface RecognizedAttempt extends NewAttempt {
  readonly digests: readonly string[];
}

/** Rehearsals charge no card: they repeat nothing and are repeated by nothing. */
function buyerOf(attempt: RecognizedAttempt) {
  const { id, account_id, product_id, test } = attempt.row;
  const since = new Date(attempt.nowMs - repeatMs);
  return test ? [] : [{ id, account_id, product_id, email_key: emailKeyOf(attempt), digests: attempt.digests, since }];
}

/** The account's own, so that no buyer is recognised from one seller to another. */
const digestsOf = ({ row, buyer }: NewAttempt): string[] =>
  buyer.digests.map((digest) => hash('sha256', `${row.account_id} ${digest}`, 'base64url').slice(0, 22));

/** Within it a buyer finds another card, and the order's payments show what was tried. */
const sameOrderMs = hourMs;

/**
 * Whether an attempt gets an order id of its own. An order's position in lists and its date are in its id: one that is paid days
 * after a declined attempt must not lie below newer ones. Only after a definite no to all of its attempts, which the statement reads: one
 * that was given up may succeed still, and the first id then says whose it is and keeps out a second charge.
 */
const takesNewOrderId = ({ order_id, status, attempt_reason }: CheckoutRow, nowMs: number): boolean =>
  order_id !== null &&
  status === 'open' &&
  attempt_reason !== null &&
  attempt_reason !== 'try_again_later' &&
  idTimeMs(order_id) < nowMs - sameOrderMs;

function incomingOf(attempt: RecognizedAttempt, position: number): Record<keyof typeof incomingTypes, unknown> {
  const { row, sale, claim, commandId, nowMs, buyer, digests } = attempt;
  const { account_id, id, revision } = row;
  return {
    account_id,
    id,
    revision,
    sale,
    position,
    command_id: commandId,
    order_id: newId('order', nowMs),
    takes_new_order_id: takesNewOrderId(row, nowMs),
    // When the attempt begins; the sweep's clock runs from then on.
    checked_at: new Date(nowMs),
    claim_id: claim?.id ?? null,
    claim_max: claim?.maxUses ?? null,
    digests: row.test || digests.length === 0 ? null : digests,
    confirmed: buyer.confirmsRepeat,
  };
}

function begunOf({ row, sale, nowMs }: NewAttempt, result: BegunRow | undefined): BegunAttempt {
  if (result === undefined) return 'stale';
  const { attempt_no, order_id, repeats_order } = result;
  if (!result.same_mode) return 'other mode';
  if (!result.begins) return 'already bought';
  if (attempt_no === null) return 'used up';
  const revision = row.revision + 1;
  return {
    ...row,
    status: 'processing',
    revision,
    attempt_no,
    order_id,
    sale,
    repeats_order,
    attempt_began_at: new Date(nowMs),
    attempt_reason: null,
    reason: null,
    action_url: null,
  };
}
