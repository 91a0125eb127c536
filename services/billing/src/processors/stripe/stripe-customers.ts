import { hash } from 'node:crypto';
import { type Database, statement } from '@app/service-kit/database';
import type { ProcessorCall } from '../port.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';

type Whose = Pick<ProcessorCall, 'accountId' | 'test'>;

/** The customer at Stripe of an order. */
export interface OrderCustomer {
  readonly customer: string;
  /** The order's payments that Stripe refused because it did not know the customer before this one. */
  readonly refused: readonly string[];
}

/** A sending that Stripe refused. */
interface Refused {
  readonly paymentId: string;
  /** The customer that it does not know. */
  readonly unknown: string;
}

/** Which customer at Stripe an order has: remembered before anything is charged to it. */
export interface OrderCustomers {
  /** Undefined where none is remembered. */
  find(whose: Whose, orderId: string): Promise<OrderCustomer | undefined>;
  /** @returns the order's: of two at once the first one's */
  remember(whose: Whose, orderId: string, customer: string, refused?: Refused): Promise<OrderCustomer>;
}

const types = { customer: 'text', refused: 'text[]' } as const;
const findStatement = statement<OrderCustomer>(
  'stripe-customers-find',
  'select customer, refused from stripe_customers where account_id = $1 and test = $2 and order_id = $3',
  types,
);
const rememberStatement = statement<OrderCustomer>(
  'stripe-customers-remember',
  `insert into stripe_customers as kept (account_id, test, order_id, customer, refused) values ($1, $2, $3, $4, $6)
   on conflict (account_id, test, order_id) do update set
     customer = case when kept.customer = $5 then excluded.customer else kept.customer end,
     refused = kept.refused || excluded.refused
   returning customer, refused`,
  types,
);

export function createOrderCustomers({ pool }: Database): OrderCustomers {
  return {
    find: async ({ accountId, test }, orderId) => {
      const { rows } = await pool.query(findStatement([accountId, test, orderId]));
      return rows[0];
    },
    remember: async ({ accountId, test }, orderId, customer, refused) => {
      const payments = refused === undefined ? [] : [refused.paymentId];
      const values = [accountId, test, orderId, customer, refused?.unknown ?? '', payments];
      const { rows } = await pool.query(rememberStatement(values));
      return rows[0] ?? { customer, refused: payments };
    },
  };
}

interface Buyer {
  readonly paymentId: string;
  readonly orderId: string;
  readonly customerEmail: string;
  readonly customerName?: string;
}

interface CustomerDeps {
  readonly link: StripeLink;
  readonly customers: OrderCustomers;
}

/** The order's customer at Stripe, made where none is remembered. */
export async function customerOf(
  { link, customers }: CustomerDeps,
  call: ProcessorCall,
  buyer: Buyer,
): Promise<OrderCustomer> {
  const remembered = await customers.find(call, buyer.orderId);
  if (remembered !== undefined) return remembered;
  return await customers.remember(call, buyer.orderId, await makeCustomer(link, call, buyer));
}

/** @param unknown the one with which Stripe refused the payment: another one replaces it, unless another sending has replaced it */
export async function customerInstead(
  { link, customers }: CustomerDeps,
  call: ProcessorCall,
  buyer: Buyer,
  unknown: string,
): Promise<OrderCustomer> {
  const { orderId, paymentId } = buyer;
  const now = (await customers.find(call, orderId))?.customer ?? unknown;
  const another = now === unknown ? await makeCustomer(link, call, buyer, unknown) : now;
  return await customers.remember(call, orderId, another, { paymentId, unknown });
}

async function makeCustomer(link: StripeLink, call: ProcessorCall, buyer: Buyer, unknown?: string): Promise<string> {
  return await createCustomer(link, call, buyer, unknown).catch(async (err: unknown) => {
    // Stripe takes fewer addresses than checkouts do.
    const isEmail = err instanceof StripeAnswerError && err.status === 400 && err.param === 'email';
    if (!isEmail) throw err;
    return await createCustomer(link, call, { ...buyer, customerEmail: '' }, unknown);
  });
}

async function createCustomer(
  link: StripeLink,
  call: ProcessorCall,
  { paymentId, orderId, customerEmail, customerName = '' }: Buyer,
  unknown = '',
): Promise<string> {
  const metadata = { funnelry_account: call.accountId, funnelry_order: orderId };
  const name = customerName === '' ? {} : { name: customerName };
  const parameters = { metadata, ...name, ...(customerEmail !== '' && { email: customerEmail }) };
  // A buyer who corrects the address or the name within an order would meet the key with other parameters, and the next attempt an error
  // that Stripe keeps under it for a day.
  const whose = [paymentId, `${customerEmail} ${unknown}`, ...Object.values(name)].join('\n');
  const key = `${orderId} customer ${hash('sha256', whose).slice(0, 16)}`;
  const { id } = await link.send(call, key, (stripe, options) => stripe.customers.create(parameters, options));
  return id;
}
