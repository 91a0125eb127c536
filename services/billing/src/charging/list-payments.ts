import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/payments';
import { paymentStatus } from '@app/contracts/payments';
import { type Database, statement } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import type { Payment } from './payment.types.ts';
import { explanationOf, nextOf, type RenewedState } from './payment-log.rules.ts';
import { paymentColumns, paymentTypes } from './payment-store.ts';

const filters = { orderId: 'order_id', email: 'email_key' } as const;
type Filter = keyof typeof filters;
const all: readonly Filter[] = ['orderId', 'email'];

/**
 * What a status is listed by, as the indexes of payments say it: a statement that had it as a value could not use them.
 * Most payments succeed, so a page of successes is near the beginning of all; declines are limited for each account.
 */
const byStatus = {
  succeeded: `status = 'succeeded'`,
  declined: `status = 'declined'`,
  created: openAs('created'),
  sent: openAs('sent'),
  unknown: openAs('unknown'),
  requires_action: openAs('requires_action'),
};
function openAs(status: Payment['status']): string {
  return `status = '${status}' and next_check_at is not null`;
}

/** One list for each combination of filters: each reads along an index. */
function listBy(chosen: readonly Filter[], status: Payment['status'] | undefined) {
  const names = [...chosen, ...(status === undefined ? [] : [status])];
  const conditions = [
    ...(status === undefined ? [] : [byStatus[status]]),
    // Rehearsals are in no list; those of one order are listed by its id.
    ...(chosen.includes('orderId') ? [] : ['not test']),
  ];
  return pagedList<Payment>({
    name: ['payments', ...names.map((name) => `by-${name.toLowerCase()}`)].join('-'),
    table: 'payments',
    row: paymentTypes,
    columns: paymentColumns,
    scope: ['account_id', ...chosen.map((filter) => filters[filter])],
    ...(conditions.length === 0 ? {} : { filter: conditions.join(' and ') }),
  });
}

const keyOf = (chosen: readonly Filter[], status: string | undefined): string => [...chosen, status].join();

const lists = new Map<string, ReturnType<typeof listBy>>();
for (const chosen of [[], ['orderId'], ['email'], all] as const) {
  for (const status of [undefined, ...paymentStatus.options]) lists.set(keyOf(chosen, status), listBy(chosen, status));
}

/** The payment log, newest first: what was tried, what the processor said, what happens next. */
export async function listPayments(
  database: Database,
  accountId: string,
  { orderId, email, status, ...page }: RequestInput<typeof contract.listPayments>,
): Promise<RequestOutput<typeof contract.listPayments>> {
  const values = { orderId, email: email && emailKey(email) };
  const chosen = all.filter((filter) => values[filter] !== undefined);
  const list = lists.get(keyOf(chosen, status)) as ReturnType<typeof listBy>;
  const scope = [accountId, ...chosen.map((filter) => values[filter] as string)];
  const { data, ...rest } = await list(database, scope, page);
  const renewed = await readRenewed(database, accountId, data);
  return { data: data.map((payment) => paymentResourceOf(payment, renewed.get(payment.orderId))), ...rest };
}

const oneStatement = statement<Payment>(
  'payment-get',
  `select ${paymentColumns} from payments where account_id = $1 and id = $2`,
  paymentTypes,
);

/** @throws DomainError payment_not_found */
export async function getPayment(
  database: Database,
  accountId: string,
  paymentId: string,
): Promise<RequestOutput<typeof contract.getPayment>> {
  const { rows } = await database.pool.query(oneStatement([accountId, paymentId]));
  const [payment] = rows;
  if (payment === undefined) throw new DomainError('payment_not_found', `No payment has the id "${paymentId}".`);
  return paymentResourceOf(payment, (await readRenewed(database, accountId, rows)).get(payment.orderId));
}

const renewedStatement = statement<RenewedState & { order_id: string }>(
  'payments-renewed',
  'select order_id, status, period from subscriptions where account_id = $1 and order_id = any ($2)',
  { order_id: 'text', period: 'int4', status: 'text' },
);

/** The subscriptions of renewals that were declined, by their orders: what happens next depends on them. */
async function readRenewed(
  { pool }: Database,
  accountId: string,
  payments: readonly Payment[],
): Promise<Map<string, RenewedState>> {
  const declined = payments.filter(({ step, status }) => step === 'renewal' && status === 'declined');
  if (declined.length === 0) return new Map();
  const orders = [...new Set(declined.map(({ orderId }) => orderId))];
  const { rows } = await pool.query(renewedStatement([accountId, orders]));
  return new Map(rows.map(({ order_id, ...renewed }) => [order_id, renewed]));
}

const ofOrder = statement<Payment>(
  'payments-of-order',
  `select ${paymentColumns} from payments
   where account_id = $1 and order_id = $2 and step not in ('renewal', 'card')
   order by status = 'declined', created_at desc, id desc limit $3`,
  paymentTypes,
);

/**
 * The payments of an order itself, oldest first: not those of the subscription that was born from it. Where there are too
 * many, the oldest declines are left out: each step succeeds once, so what moved money and what is open is always there.
 */
export async function listOrderPayments(
  database: Database,
  accountId: string,
  orderId: string,
): Promise<Pick<RequestOutput<typeof contract.listOrderPayments>, 'data'>> {
  const { rows } = await database.pool.query(ofOrder([accountId, orderId, limits.listMax]));
  const inOrder = rows.toSorted(
    (one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1),
  );
  return { data: inOrder.map((payment) => paymentResourceOf(payment)) };
}

/** Everything but what was sent: it has the card's token in it. */
export const paymentResourceOf = (payment: Payment, renewed?: RenewedState): contract.PaymentResource => ({
  id: payment.id,
  order_id: payment.orderId,
  step: payment.step,
  // The name that callers know.
  try_no: payment.attemptNo,
  amount_cents: payment.amountCents,
  currency: payment.currency,
  status: payment.status,
  reason: payment.declineReason,
  explanation: explanationOf(payment),
  next: nextOf(payment, payment.step === 'renewal' ? renewed : undefined),
  processor: payment.processor,
  processor_reference: payment.processorReference,
  product_name: payment.productName,
  customer_email: payment.customerEmail,
  last_four: payment.lastFour,
  wallet: payment.wallet,
  test: payment.test,
  created_at: payment.createdAt.toISOString(),
  finished_at: finishOf(payment)?.toISOString() ?? null,
});

/** A rehearsal's renewals are made at its time, which is ahead of the clock that their ends are kept by. */
const finishOf = ({ test, createdAt, finishedAt }: Payment): Date | null =>
  test && finishedAt !== null && finishedAt < createdAt ? createdAt : finishedAt;
