import { hash } from 'node:crypto';
import { type Database, statement } from '@app/service-kit/database';
import type { ProcessorCall } from '../port.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';

type Whose = Pick<ProcessorCall, 'accountId' | 'test'>;

/** Which customer at Stripe an order has: remembered before anything is charged to it. */
export interface OrderCustomers {
  /** Undefined where none is remembered. */
  find(whose: Whose, orderId: string): Promise<string | undefined>;
  /** @param instead the one that Stripe does not know. @returns the order's: of two at once the first one's */
  remember(whose: Whose, orderId: string, customer: string, instead?: string): Promise<string>;
}

const findStatement = statement<{ readonly customer: string }>(
  'stripe-customers-find',
  'select customer from stripe_customers where account_id = $1 and test = $2 and order_id = $3',
  { customer: 'text' },
);
const rememberStatement = statement<{ readonly customer: string }>(
  'stripe-customers-remember',
  `insert into stripe_customers as kept (account_id, test, order_id, customer) values ($1, $2, $3, $4)
   on conflict (account_id, test, order_id) do update set
     customer = case when kept.customer = $5 then excluded.customer else kept.customer end
   returning customer`,
  { customer: 'text' },
);

export function createOrderCustomers({ pool }: Database): OrderCustomers {
  return {
    find: async ({ accountId, test }, orderId) => {
      const { rows } = await pool.query(findStatement([accountId, test, orderId]));
      return rows[0]?.customer;
    },
    remember: async ({ accountId, test }, orderId, customer, instead) => {
      const values = [accountId, test, orderId, customer, instead ?? null];
      const { rows } = await pool.query(rememberStatement(values));
      return rows[0]?.customer ?? customer;
    },
  };
}

interface Buyer {
  readonly paymentId: string;
  readonly orderId: string;
  readonly customerEmail: string;
  readonly customerName?: string;
}

/**
 * The order's customer at Stripe, made where none is remembered.
 * @param unknown the remembered one that Stripe does not know: another one replaces it
 */
export async function customerOf(
  { link, customers }: { readonly link: StripeLink; readonly customers: OrderCustomers },
  call: ProcessorCall,
  buyer: Buyer,
  unknown?: string,
): Promise<string> {
  const { orderId } = buyer;
  const remembered = await customers.find(call, orderId);
  if (remembered !== undefined && remembered !== unknown) return remembered;
  const made = await createCustomer(link, call, buyer, unknown).catch((err: unknown) => {
    // Stripe takes fewer addresses than checkouts do.
    const isEmail = err instanceof StripeAnswerError && err.status === 400 && err.param === 'email';
    if (!isEmail) throw err;
    return createCustomer(link, call, { ...buyer, customerEmail: '' }, unknown);
  });
  return await customers.remember(call, orderId, made, unknown);
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
