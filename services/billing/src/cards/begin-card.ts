import { type Database, statement } from '@app/service-kit/database';
import type { Payment } from '../charging/payment.types.ts';
import {
  columnsFrom,
  insertPayments,
  type NewPaymentValues,
  onlyPaymentOf,
  paymentColumns,
  paymentOf,
  paymentTypes,
  sentAheadMs,
} from '../charging/payment-store.ts';

const cardValues: NewPaymentValues = {
  id: '$3',
  account_id: '$1',
  step: `'card'`,
  attempt_no: `coalesce((
       select max(p.attempt_no) from payments as p where p.account_id = $1 and p.order_id = s.order_id and p.step = 'card'), 0) + 1`,
  call: `'saveMethod'`,
  request: '$4',
  amount_cents: '0',
  processor: '$5',
  created_at: '$6',
  sent_at: '$6',
  next_check_at: '$7',
  sent_ahead_ms: sentAheadMs('$8'),
  ...columnsFrom('s', 'order_id', 'currency', 'customer_email', 'email_key', 'product_name', 'test'),
};

/**
 * The lock numbers the cards of a subscription in the order in which they are given: one that is saved later than its
 * successor does not replace it.
 */
const beginStatement = statement<Payment>(
  'cards-begin',
  `with subscription as materialized (
     select order_id, currency, customer_email, email_key, product_name, test from subscriptions
     where account_id = $1 and id = $2 and status <> 'canceled' for no key update
   )
   ${insertPayments(cardValues, 'from subscription as s')}
   returning ${paymentColumns}`,
  paymentTypes,
);

const byIdStatement = statement<Payment>(
  'cards-by-id',
  `select ${paymentColumns} from payments where account_id = $1 and id = $2 and step = 'card'`,
  paymentTypes,
);

/** A card that is about to be saved. */
export interface NewCard {
  readonly accountId: string;
  readonly subscriptionId: string;
  /** Of the payment: it follows from the command. */
  readonly id: string;
  readonly request: object;
  readonly processor: string;
  readonly now: Date;
  readonly checkAt: Date;
}

/** Each round loses against another card of the subscription that was begun at the same moment. */
const roundsMax = 10;

/**
 * Writes the row of a card that is sent next.
 * @returns the row, and whether it is new: a repeated command finds its own; undefined where the subscription is canceled
 */
export async function beginCard(
  { pool }: Pick<Database, 'pool'>,
  card: NewCard,
): Promise<{ readonly payment: Payment; readonly isNew: boolean } | undefined> {
  const { accountId, subscriptionId, id, request, processor, now, checkAt } = card;
  for (let round = 0; round < roundsMax; round += 1) {
    const values = [accountId, subscriptionId, id, JSON.stringify(request), processor, now, checkAt];
    const { rows } = await pool.query(beginStatement([...values, new Date(Date.now())]));
    if (rows[0] !== undefined) return { payment: paymentOf(rows[0]), isNew: true };
    const found = await findCard({ pool }, accountId, id);
    if (found !== undefined) return { payment: found, isNew: false };
    if (await isCanceled({ pool }, accountId, subscriptionId)) return undefined;
  }
  throw new Error(`the card of subscription ${subscriptionId} was neither written nor found`);
}

export async function findCard(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
  id: string,
): Promise<Payment | undefined> {
  return onlyPaymentOf(await pool.query(byIdStatement([accountId, id])));
}

const canceledStatement = statement(
  'cards-subscription-canceled',
  `select from subscriptions where account_id = $1 and id = $2 and status = 'canceled'`,
);

const isCanceled = async ({ pool }: Pick<Database, 'pool'>, accountId: string, id: string): Promise<boolean> =>
  (await pool.query(canceledStatement([accountId, id]))).rows.length > 0;

const newestStatement = statement<Payment>(
  'cards-newest',
  `select ${paymentColumns} from payments
   where account_id = $1 and step = 'card' and order_id = (
     select order_id from subscriptions where account_id = $1 and id = $2)
   order by attempt_no desc limit 1`,
  paymentTypes,
);

/** The newest card that was given for a subscription. */
export async function newestCard(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
  subscriptionId: string,
): Promise<Payment | undefined> {
  return onlyPaymentOf(await pool.query(newestStatement([accountId, subscriptionId])));
}
