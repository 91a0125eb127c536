import { type ColumnsOf, statement } from '@app/service-kit/database';
import { namesOf, tableOf } from '@app/service-kit/row-arrays';
import type { Traits } from './simulated-cards.rules.ts';

/*
 * One statement for each call; cards that are sent at the same time share one. A key that arrives again, or twice at once,
 * returns the entry of its first arrival, and `sendings` says that it did. Captures, refunds and releases first lock the
 * entry that they are about: the next one sees what this one took. Accounts, and rehearsals and real payments of an account, never see each other's entries.
 */

/** What a call gets back of its entry. */
export interface EntryRow {
  readonly kind: 'hold' | 'charge' | 'method' | 'capture' | 'refund' | 'release';
  readonly reference: string;
  readonly status: 'succeeded' | 'declined' | 'requires_action' | 'failed';
  readonly reason: string | null;
  readonly sendings: number;
  readonly parameters: string;
  readonly last_four: string | null;
  readonly saved_method: string | null;
  readonly capture_before: Date | null;
  readonly action_url: string | null;
}

/** What look-up finds, with what was sent. */
export interface FoundRow extends EntryRow {
  readonly amount_cents: number;
  readonly currency: string;
}

const answerTypes: ColumnsOf<EntryRow> = {
  kind: 'text',
  reference: 'text',
  status: 'text',
  reason: 'text',
  sendings: 'int4',
  parameters: 'text',
  last_four: 'text',
  saved_method: 'text',
  capture_before: 'timestamptz',
  action_url: 'text',
};
const answer = namesOf(answerTypes);
const keyTypes = { account_id: 'text', test: 'bool', payment_id: 'text' } as const;

const onceForEachKey = `
  on conflict (account_id, test, payment_id) do update set sendings = entry.sendings + 1`;

/** A card's hold or charge, or that it is saved, as its entry is written; fields are named as the columns. */
export interface CardEntry {
  readonly account_id: string;
  readonly test: boolean;
  readonly payment_id: string;
  readonly reference: string;
  readonly kind: 'hold' | 'charge' | 'method';
  readonly status: 'succeeded' | 'declined' | 'requires_action';
  readonly reason: string | null;
  readonly amount_cents: number;
  readonly currency: string;
  readonly order_id: string;
  readonly parameters: string;
  readonly recorded_at: Date;
  readonly last_four: string | null;
  readonly saved_method: string | null;
  readonly traits: Traits;
  readonly action_url: string | null;
  readonly capture_before: Date | null;
}

/** What distinguishes an entry. */
export type EntryKey = Pick<CardEntry, 'account_id' | 'test' | 'payment_id'>;

export const cardTypes = {
  account_id: 'text',
  test: 'boolean',
  payment_id: 'text',
  reference: 'text',
  kind: 'text',
  status: 'text',
  reason: 'text',
  amount_cents: 'bigint',
  currency: 'text',
  order_id: 'text',
  parameters: 'text',
  recorded_at: 'timestamptz',
  last_four: 'text',
  saved_method: 'text',
  traits: 'jsonb',
  action_url: 'text',
  capture_before: 'timestamptz',
} as const satisfies Record<keyof CardEntry, string>;
const cardColumns = namesOf(cardTypes);

/** Of many at once, each key at most once; keys in one order, so that no replica waits for another that waits for it. */
export const recordCards = statement<EntryKey & EntryRow>(
  'simulated-record-cards',
  `insert into simulated_processor.entries as entry (${cardColumns})
   select ${cardColumns} from ${tableOf(cardTypes, 1)}
   order by account_id, test, payment_id
   ${onceForEachKey}
   returning account_id, test, payment_id, ${answer}`,
  { ...keyTypes, ...answerTypes },
);

/** A charge of a saved card as it is requested; fields are named as the columns. */
export interface SavedEntry {
  readonly account_id: string;
  readonly test: boolean;
  readonly payment_id: string;
  readonly reference: string;
  readonly saved_method: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly order_id: string;
  readonly parameters: string;
  readonly recorded_at: Date;
  /** Where the buyer confirms, should the bank ask; null while the buyer is away. */
  readonly action_url: string | null;
}

export const savedTypes = {
  account_id: 'text',
  test: 'boolean',
  payment_id: 'text',
  reference: 'text',
  saved_method: 'text',
  amount_cents: 'bigint',
  currency: 'text',
  order_id: 'text',
  parameters: 'text',
  recorded_at: 'timestamptz',
  action_url: 'text',
} as const satisfies Record<keyof SavedEntry, string>;

/** What the answer to a charge of a saved card says beside its entry. */
export type SavedRow = EntryRow & { readonly unanswered: boolean };

/** Of many at once, as `recordCards`: charges of cards that earlier entries saved. No row: the method is unknown. */
export const recordSaved = statement<EntryKey & SavedRow>(
  'simulated-record-saved',
  `insert into simulated_processor.entries as entry (account_id, test, payment_id, reference, kind, status, reason,
     amount_cents, currency, order_id, about, parameters, recorded_at, last_four, traits, action_url)
   select sent.account_id, sent.test, sent.payment_id, sent.reference, 'charge',
     case when bank.buyer is not null then 'requires_action' when card.decline is null then 'succeeded' else 'declined' end,
     case when bank.buyer is null then card.decline end, sent.amount_cents, sent.currency, sent.order_id, card.reference,
     sent.parameters, sent.recorded_at, card.last_four,
     case when bank.buyer is null then card.traits when bank.buyer = 'leaves' then card.traits - 'buyer'
       else card.traits || jsonb_build_object('buyer', bank.buyer) end,
     case when bank.buyer is not null then sent.action_url end
   from (select * from ${tableOf(savedTypes, 1)} order by account_id, test, payment_id) as sent
   cross join lateral (
     select reference, last_four, traits, traits ->> 'savedDecline' as decline from simulated_processor.entries
     where saved_method = sent.saved_method and account_id = sent.account_id and test = sent.test limit 1) as card
   cross join lateral (select case when sent.action_url is not null then card.traits ->> 'savedBuyer' end as buyer) as bank
   ${onceForEachKey}
   returning account_id, test, payment_id, ${answer}, (traits -> 'savedUnanswered') is not null as unanswered`,
  { ...keyTypes, ...answerTypes, unanswered: 'bool' },
);

/** What an entry has become by $9: `later_status` once its time has come. */
const parent = `
  select *, case when later_at <= $9::timestamptz then later_status else status end as status_now
  from simulated_processor.entries
  where account_id = $1 and test = $2 and reference = $5
  for update`;

/**
 * Records what follows from the parent. $1 account, $2 test, $3 payment, $4 reference, $5 the parent's, $6 amount,
 * $7 currency, $8 parameters, $9 now. No row: there is no such reference.
 * @param kind of the new entry
 * @param decline SQL: why not, null for a yes
 * @param later SQL: what becomes of the new entry, with columns of the same names
 */
const following = (kind: string, decline: string, later = 'null, null, null::timestamptz'): string => `
  insert into simulated_processor.entries as entry (account_id, test, payment_id, reference, kind, status, reason,
    amount_cents, currency, order_id, about, parameters, recorded_at, last_four, traits, later_status, later_reason, later_at)
  select $1::text, $2::boolean, $3::text, $4::text, '${kind}', case when decline is null then 'succeeded' else 'declined' end,
    decline, $6::bigint, $7::text, parent.order_id, parent.reference, $8::text, $9::timestamptz, parent.last_four,
    parent.traits, ${later}
  from parent, lateral (select case ${decline} end as decline) as decided
  ${onceForEachKey}
  returning *`;

/** The parent changes with the first arrival of a yes alone. */
const firstYes = `recorded.sendings = 1 and recorded.status = 'succeeded' and changed.reference = recorded.about`;

export const recordCapture = statement<EntryRow>(
  'simulated-record-capture',
  `with parent as materialized (${parent}),
   recorded as (${following(
     'capture',
     `when parent.kind <> 'hold' or status_now <> 'succeeded' then 'not_a_hold'
      when parent.taken_cents > 0 then 'already_captured'
      when parent.released_at is not null then 'already_released'
      when parent.capture_before <= $9 then 'hold_expired'
      when parent.currency <> $7 then 'currency_mismatch'
      when $6 > parent.amount_cents then 'amount_too_large'
      else parent.traits ->> 'captureDecline'`,
   )}),
   taken as (
     update simulated_processor.entries as changed set taken_cents = recorded.amount_cents
     from recorded where ${firstYes}
   )
   select ${answer} from recorded`,
  answerTypes,
);

/** Money of refunds that are going to fail is away until they do. */
const away = (entry: string): string => `case when ${entry}.pending_until > $9 then ${entry}.pending_cents else 0 end`;
const failing = `decline is null and parent.traits ? 'refundFailsAfterMs'`;

export const recordRefund = statement<EntryRow>(
  'simulated-record-refund',
  `with parent as materialized (${parent}),
   recorded as (${following(
     'refund',
     `when parent.kind not in ('charge', 'capture') or status_now <> 'succeeded' then 'not_refundable'
      when parent.currency <> $7 then 'currency_mismatch'
      when $6 > parent.amount_cents - parent.taken_cents - ${away('parent')} then 'amount_too_large'
      when parent.traits ? 'disputed' then 'charge_disputed'
      else parent.traits ->> 'refundDecline'`,
     `case when ${failing} then 'failed' end, case when ${failing} then 'refund_failed' end,
      case when ${failing}
        then $9::timestamptz + (parent.traits ->> 'refundFailsAfterMs')::bigint * interval '1 millisecond' end`,
   )}),
   taken as (
     update simulated_processor.entries as changed set
       taken_cents = changed.taken_cents + case when recorded.later_at is null then recorded.amount_cents else 0 end,
       pending_cents = ${away('changed')} + case when recorded.later_at is null then 0 else recorded.amount_cents end,
       pending_until = coalesce(recorded.later_at, changed.pending_until)
     from recorded where ${firstYes}
   )
   select ${answer} from recorded`,
  answerTypes,
);

export const recordRelease = statement<EntryRow>(
  'simulated-record-release',
  `with parent as materialized (${parent}),
   recorded as (${following(
     'release',
     `when parent.kind not in ('hold', 'charge', 'method') then 'not_releasable'
      when parent.kind = 'hold' and parent.taken_cents > 0 then 'already_captured'
      when status_now = 'succeeded' and (parent.kind <> 'hold' or parent.released_at is null and parent.capture_before <= $9)
        then 'already_succeeded'`,
   )}),
   ended as (
     update simulated_processor.entries as changed set
       released_at = coalesce(changed.released_at, $9),
       later_status = case when parent.status_now = 'requires_action' then 'declined' else changed.later_status end,
       later_reason = case when parent.status_now = 'requires_action' then 'released' else changed.later_reason end,
       later_at = case when parent.status_now = 'requires_action' then $9 else changed.later_at end
     from recorded, parent where ${firstYes} and parent.reference = changed.reference
   )
   select ${answer} from recorded`,
  answerTypes,
);

const entryColumns = `kind, amount_cents, currency, reference, sendings, parameters, last_four, saved_method, capture_before, action_url,
  status, reason, later_status, later_reason, later_at, released_at`;

/**
 * $1 account, $2 test, $3 payment, $4 now, $5 until when a hold that is confirmed now can be captured. The buyer of a
 * waiting payment decides at the bank when the processor is next queried for its state: no caller can see the difference.
 * A query at the same moment waits for that decision and returns it, because the row is read anew after the wait. A hold
 * that was released has ended, also one that the buyer had confirmed.
 */
export const lookUpStatement = statement<FoundRow>(
  'simulated-look-up',
  `with decided as (
     update simulated_processor.entries set
       later_status = coalesce(later_status, case traits ->> 'buyer' when 'confirms' then 'succeeded' else 'declined' end),
       later_reason = case when later_at is not null then later_reason
         when traits ->> 'buyer' <> 'confirms' then 'authentication_failed' end,
       later_at = coalesce(later_at, $4),
       capture_before = case when later_at is not null then capture_before when kind = 'hold' then $5::timestamptz end
     where account_id = $1 and test = $2 and payment_id = $3 and status = 'requires_action' and traits ? 'buyer'
     returning ${entryColumns}
   ), found as (
     select ${entryColumns} from decided
     union all
     select ${entryColumns} from simulated_processor.entries
     where account_id = $1 and test = $2 and payment_id = $3 and not exists (select from decided)
   )
   select kind, amount_cents, currency, reference, sendings, parameters, last_four, saved_method, capture_before, action_url,
     case when kind = 'hold' and released_at is not null then 'declined' when later_at <= $4 then later_status else status end as status,
     case when kind = 'hold' and released_at is not null then 'released' when later_at <= $4 then later_reason else reason end as reason
   from found`,
  { ...answerTypes, amount_cents: 'int8', currency: 'text' },
);

/** True for the sending that gets lost: the first one of its key. */
export const loseSending = statement<{ lost: boolean }>(
  'simulated-lose-sending',
  `insert into simulated_processor.lost_sendings (account_id, test, payment_id, lost_at) values ($1, $2, $3, $4)
   on conflict do nothing returning true as lost`,
  { lost: 'bool' },
);

export interface RecordRow {
  readonly seq: number;
  readonly later: boolean;
  readonly reference: string;
  readonly payment_id: string;
  readonly order_id: string;
  readonly about: string | null;
  readonly kind: EntryRow['kind'];
  readonly status: EntryRow['status'];
  readonly reason: string | null;
  readonly amount_cents: number;
  readonly currency: string;
  readonly disputed: boolean;
  readonly recorded_at: Date;
}

const isDisputed = `traits ? 'disputed' and kind in ('charge', 'capture') and status = 'succeeded' as disputed`;
const journalColumns = 'reference, payment_id, order_id, about, kind, amount_cents, currency';

/**
 * A page of the journal after (recorded_at, seq, later): what was recorded, and as a record of its own what became of it.
 * Each of the two reads no more than a page of its index, however many pages there are.
 * $1 account, $2 test, $3 to, $4 now, $5–$7 the last row of the page before, $8 rows
 */
export const listStatement = statement<RecordRow>(
  'simulated-list',
  `with recorded as (
     select seq, false as later, ${journalColumns}, ${isDisputed}, status, reason, recorded_at
     from simulated_processor.entries
     where account_id = $1 and test = $2 and recorded_at < $3
       and (recorded_at, seq) > ($5::timestamptz, $6::bigint)
     order by recorded_at, seq limit $8
   ), became as (
     select seq, true as later, ${journalColumns}, false as disputed, later_status, later_reason, later_at
     from simulated_processor.entries
     where account_id = $1 and test = $2 and later_at < $3 and later_at <= $4
       and (later_at, seq) >= ($5::timestamptz, $6::bigint) and (later_at, seq, true) > ($5, $6, $7::boolean)
     order by later_at, seq limit $8
   )
   select seq, later, ${journalColumns}, disputed, status, reason, recorded_at
   from (select * from recorded union all select * from became) as journal
   order by recorded_at, seq, later limit $8`,
  {
    seq: 'int8',
    later: 'bool',
    reference: 'text',
    payment_id: 'text',
    order_id: 'text',
    about: 'text',
    kind: 'text',
    status: 'text',
    reason: 'text',
    amount_cents: 'int8',
    currency: 'text',
    disputed: 'bool',
    recorded_at: 'timestamptz',
  },
);

/** A charge or capture that the bank disputes. $1 account, $2 test, $3 reference */
export const disputedStatement = statement<DisputedRow>(
  'simulated-disputed',
  `select reference, payment_id, order_id, amount_cents, currency, recorded_at from simulated_processor.entries
   where account_id = $1 and test = $2 and reference = $3 and traits ? 'disputed' and kind in ('charge', 'capture')
     and status = 'succeeded'`,
  {
    amount_cents: 'int8',
    currency: 'text',
    order_id: 'text',
    payment_id: 'text',
    recorded_at: 'timestamptz',
    reference: 'text',
  },
);

export type DisputedRow = Pick<
  RecordRow,
  'reference' | 'payment_id' | 'order_id' | 'amount_cents' | 'currency' | 'recorded_at'
>;
