import { z } from 'zod';
import { limits, listOf, pageQueryOf, text, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

const sumOfCurrency = z.object({ currency: z.string(), amount_cents: z.int() });

export const customerResource = z
  .object({
    id: idSchema('customer').describe(
      'Made of the account and the mailbox: it never changes, and says nothing of the address.',
    ),
    email: z.string().describe('As the buyer typed it at the latest order.'),
    name: z.string().describe('Of the latest order that has one; empty where none has.'),
    orders: z.int().describe('Orders that are paid or refunded, or whose card is held.'),
    spent: z
      .array(sumOfCurrency)
      .describe(
        'One sum for each currency: what was paid for orders and for the renewals that the platform charged, less what went back. A held card counts nothing.',
      ),
    active_subscriptions: z.int().describe('Subscriptions whose status is `active`.'),
    first_purchase_at: timestamp,
    last_purchase_at: timestamp.describe('Of the latest order; a renewal is none.'),
  })
  .meta({ id: 'Customer' });
export type CustomerResource = z.infer<typeof customerResource>;

const customersQuery = pageQueryOf(idSchema('customer')).extend({
  q: text(limits.email, 1)
    .optional()
    .describe(
      'The buyer’s email address, the customer’s id, or how a name on an order begins; in upper or lower case.',
    ),
});
export type CustomersQuery = z.infer<typeof customersQuery>;

/** Buyers by their first purchase, the latest first. Rehearsals make no customer. */
export const listCustomers = defineRequest('read', 'checkout', 'customers.list', {
  input: customersQuery,
  output: listOf(customerResource),
});

export const getCustomer = defineRequest('read', 'checkout', 'customers.get', {
  input: z.object({ customerId: z.string() }),
  output: customerResource,
});

/** What billing knows of buyers, by the keys of their addresses. A buyer without a renewal or subscription is left out. */
export const readBuyerTotals = defineRequest('read', 'billing', 'buyers.totals', {
  input: z.object({ emailKeys: z.array(z.string()).max(limits.listMax) }),
  output: z.object({
    renewals: z.array(z.object({ emailKey: z.string(), currency: z.string(), amountCents: z.int() })),
    active: z.array(z.object({ emailKey: z.string(), subscriptions: z.int() })),
  }),
});
