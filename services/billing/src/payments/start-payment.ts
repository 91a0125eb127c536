import type { RequestInput } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { startPayment as contract, PaymentOutcome } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import { giveUpPayment } from './give-up-payment.ts';
import { decideStart, nextCheckAt, outcomeOf } from './payment.rules.ts';
import type { Payment, PaymentRequest } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { paymentColumns, paymentOf } from './payment-rows.ts';
import { sendPayment } from './send-payment.ts';

export type StartInput = RequestInput<typeof contract>;

/** Whose request it is; `requestId` is null where billing goes on by itself. */
export interface Caller {
  readonly accountId: string;
  readonly requestId: string | null;
}

/**
 * Writes the try as `sent` if it may be made, and returns the tries before it. The indexes keep out a second one that
 * another replica writes at the same time: this one waits for it then, and writes nothing.
 */
const startStatement = statement(
  'payments-start',
  `with tried as (
     select ${paymentColumns} from payments where account_id = $2 and order_id = $3 and step = 'main'
   ), written as (
     insert into payments (id, account_id, order_id, step, subject, try_no, call, request, hold_terms, amount_cents,
       currency, status, processor, customer_email, product_name, test, created_at, sent_at, next_check_at)
     select $1, $2, $3, 'main', '', $4, $5, $6, $7, $8, $9, 'sent', $10, $11, $12, $13, $14, $14, $15
     where not exists (select from tried where status <> 'declined' or try_no >= $4)
     on conflict do nothing
     returning ${paymentColumns}
   )
   select (select row_to_json(w) from written as w) as written,
     (select json_agg(t order by try_no) from tried as t) as tried`,
);

interface StartRow {
  readonly written: Payment | null;
  readonly tried: Payment[] | null;
}

/** Other replicas may each be a step ahead: a buyer's payment is given up once, and its row read again once. */
const roundsMax = 4;

/** See the contract: charges or holds, once for each try, and once for the order when it succeeds. */
export async function startPayment(deps: PaymentDeps, caller: Caller, input: StartInput): Promise<PaymentOutcome> {
  let last: Payment | undefined;
  for (let round = 0; round < roundsMax; round += 1) {
    const { written, tried } = await writeTry(deps, caller, input);
    if (written !== undefined) {
      return outcomeOf(await sendPayment(deps, written, { requestId: caller.requestId, charges: [] }));
    }
    const decision = decideStart(tried, input.tryNo);
    // It was written by another replica after this statement began, so the next one sees it.
    if (decision.kind === 'charge') continue;
    last = decision.of;
    if (decision.kind === 'outcome') return outcomeOf(last);
    const { payment, ending } = await giveUpPayment(deps, last, caller.requestId);
    if (ending) return { ...outcomeOf(payment), status: 'processing', action: null };
    if (payment.status !== 'declined') return outcomeOf(payment);
    last = payment;
  }
  if (last === undefined) throw new Error(`the payment of order ${input.orderId} was neither written nor found`);
  return outcomeOf(last);
}

async function writeTry(
  deps: PaymentDeps,
  { accountId }: Caller,
  input: StartInput,
): Promise<{ written: Payment | undefined; tried: Payment[] }> {
  const { database, clock, processors } = deps;
  const { orderId, tryNo, amountCents, currency, hold, customerEmail, productName, test } = input;
  const { processor } = await processors.chosen(accountId, test);
  const nowMs = clock.nowMs();
  const id = newId('payment', nowMs);
  const { call, request } = requestOf(id, input);
  const terms = hold === null ? null : JSON.stringify(hold);
  const about = [id, accountId, orderId, tryNo, call, JSON.stringify(request), terms, amountCents, currency];
  const times = [new Date(nowMs), nextCheckAt(0, nowMs)];
  const values = [...about, processor.name, customerEmail, productName, test, ...times];
  const { rows } = await database.pool.query<StartRow>(startStatement(values));
  const { written, tried } = rows[0] as StartRow;
  return { written: written === null ? undefined : paymentOf(written), tried: (tried ?? []).map(paymentOf) };
}

function requestOf(paymentId: string, input: StartInput): PaymentRequest {
  const { orderId, amountCents, currency, paymentMethod, customerEmail, returnUrl, hold } = input;
  const request = { paymentId, orderId, amountCents, currency, paymentMethod, customerEmail, returnUrl };
  return { call: hold === null ? 'charge' : 'authorize', request };
}
