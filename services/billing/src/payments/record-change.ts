import type { OutboxRow } from '@app/messaging/outbox';
import { outboxColumns, outboxRecord } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { Payment } from './payment.types.ts';
import { completedBy, endedUpdate, type PaymentChange } from './payment-change.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { completedEvents, type PaymentEventSource } from './payment-events.ts';

const updateColumns = `status = c.status, decline_kind = c.decline_kind, decline_reason = c.decline_reason,
  decline_message = c.decline_message, processor_reference = coalesce(c.processor_reference, p.processor_reference),
  action_url = c.action_url, last_four = coalesce(c.last_four, p.last_four), finished_at = c.finished_at,
  next_check_at = c.next_check_at`;
const updateRecord = `status text, "from" text[], decline_kind text, decline_reason text, decline_message text,
  processor_reference text, action_url text, last_four text, finished_at timestamptz, next_check_at timestamptz`;

/**
 * Writes a processor's answer and all that follows from it in one statement, unless an end was recorded before: of two
 * answers to one payment the first one counts, and its events are written once.
 *
 *   changed   the payment      ended     the payment that a release gave up, with its own event
 *   charge    money taken      hold      money held       method    the card, for charges without the buyer
 *   captured  the hold that money was taken of            refunded  the charge that was given back
 */
const recordStatement = statement(
  'payments-record',
  `with input as (select $3::json as j), changed as (
     update payments as p set ${updateColumns}
     from input, json_to_record(j->'payment') as c(${updateRecord})
     where p.account_id = $1 and p.id = $2 and p.status = any (c."from")
     returning p.*
   ), ended as (
     update payments as p set ${updateColumns}
     from input, json_to_record(j->'ended') as c(id text, ${updateRecord})
     where p.account_id = $1 and p.id = c.id and p.status = any (c."from") and exists (select from changed)
     returning p.id
   ), charge as (
     insert into charges (id, account_id, order_id, step, amount_cents, currency, processor, reference, test, charged_at)
     select p.id, p.account_id, p.order_id, c.step, c.amount_cents, p.currency, p.processor, c.reference, p.test, p.finished_at
     from changed as p, input, json_to_recordset(j->'charge') as c(step text, amount_cents bigint, reference text)
   ), hold as (
     insert into holds (order_id, account_id, payment_id, reference, amount_cents, currency, capture_before, decide_by,
       upsell, status, processor, test, held_at, due_at)
     select p.order_id, p.account_id, p.id, h.reference, h.amount_cents, p.currency, h.capture_before, h.decide_by,
       h.upsell, 'held', p.processor, p.test, p.finished_at, h.due_at
     from changed as p, input, json_to_recordset(j->'hold') as h(reference text, amount_cents bigint,
       capture_before timestamptz, decide_by timestamptz, upsell json, due_at timestamptz)
   ), method as (
     insert into payment_methods (account_id, order_id, customer_email, processor, method, last_four, saved_at)
     select p.account_id, p.order_id, p.customer_email, p.processor, m.method, m.last_four, p.finished_at
     from changed as p, input, json_to_recordset(j->'method') as m(method text, last_four text)
     on conflict (account_id, order_id) do update
     set method = excluded.method, processor = excluded.processor, last_four = excluded.last_four
   ), captured as (
     update holds as h set captured_cents = h.captured_cents + (j->>'captured_cents')::bigint
     from changed as p, input
     where h.account_id = p.account_id and h.order_id = p.order_id and j->>'captured_cents' is not null
   ), refunded as (
     update charges as c set refunded_cents = c.refunded_cents + (j->'refunded'->>'cents')::bigint, refund_due_at = null
     from changed as p, input
     where c.account_id = p.account_id and c.id = j->'refunded'->>'id'
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from input, json_to_recordset(j->'events') as e("of" text, ${outboxRecord})
     where (e."of" = 'payment' and exists (select from changed)) or (e."of" = 'ended' and exists (select from ended))
   )
   select exists (select from changed) as recorded`,
);

export interface RecordedWith {
  /** Where a request asked for it; null where billing went on by itself. */
  readonly requestId: string | null;
  /** The payment that a release ends. */
  readonly ended?: Payment;
  /** Events beside `payment.completed`. */
  readonly events?: readonly OutboxRow[];
}

/**
 * Records what a processor answered.
 * @returns false when an end was recorded before
 */
export async function recordChange(
  { database, clock, wakeRelay }: PaymentDeps,
  payment: Payment,
  change: PaymentChange,
  { requestId, ended, events = [] }: RecordedWith,
): Promise<boolean> {
  const source: PaymentEventSource = { accountId: payment.account_id, requestId, nowMs: clock.nowMs() };
  const end = change.ended === null ? undefined : endedUpdate(change.ended.message, source.nowMs);
  const written = [
    ...completedEvents(completedBy(payment, change.payment), source).map(of('payment')),
    ...events.map(of('payment')),
    ...(ended === undefined || end === undefined
      ? []
      : completedEvents(completedBy(ended, end), source).map(of('ended'))),
  ];
  const input = {
    ...change,
    charge: listed(change.charge),
    hold: listed(change.hold),
    method: listed(change.method),
    ended: { id: change.ended?.id ?? null, ...end },
    events: written,
  };
  const values = [payment.account_id, payment.id, JSON.stringify(input)];
  const { rows } = await database.pool.query<{ recorded: boolean }>(recordStatement(values));
  const recorded = rows[0]?.recorded === true;
  if (recorded && written.length > 0) wakeRelay();
  return recorded;
}

const listed = <T>(row: T | null): T[] => (row === null ? [] : [row]);
const of = (what: 'payment' | 'ended') => (row: OutboxRow) => ({ of: what, ...row });
