import { z } from 'zod';
import { emailAddress, limits, line, listOf, pageQueryOf, slug, text, timestamp } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

const withdrawalStatus = z.enum(['requested', 'accepted', 'declined']);
export type WithdrawalStatus = z.infer<typeof withdrawalStatus>;

/** What a buyer ticks on the checkout where the seller’s setting `immediateAccessConsent` asks for it, as the order keeps it (Directive 2011/83/EU, 16(m)). */
export const immediateAccessText =
  'I want access at once, before the days to withdraw are over. I know that I lose my right to withdraw once I have it.';

/** What a buyer declares. An order's number is one of the receipt: the whole id, or its last eight characters. */
const declared = z.strictObject({
  name: line(limits.name, 1).describe('Of who withdraws.'),
  bought: line(limits.name, 1).describe('The order’s number, or what was bought.'),
  email: emailAddress.describe('Where the acknowledgement goes.'),
});
export type DeclaredWithdrawal = z.output<typeof declared>;

export const withdrawalBody = declared.extend({ handle: slug }).meta({ id: 'WithdrawalRequest' });
export type WithdrawalBody = z.output<typeof withdrawalBody>;

/** The words of a withdrawal: in the acknowledgement, in letters and in the list. */
export const withdrawalStatement = (
  shop: string,
  { name, bought }: Pick<DeclaredWithdrawal, 'name' | 'bought'>,
): string => `I withdraw from my contract with ${shop} about: ${bought}. ${name}`;

const withdrawalDraft = declared
  .extend({ seller: z.string(), statement: z.string().describe('The words that are declared by confirming.') })
  .meta({ id: 'WithdrawalDraft' });

const withdrawalReceipt = withdrawalDraft
  .extend({ receivedAt: timestamp.describe('When the confirmation was received. Nothing is decided by it.') })
  .meta({ id: 'WithdrawalReceipt' });

/** The statement as it would be declared. Nothing is stored. */
export const requestWithdrawal = defineRequest('read', 'checkout', 'withdrawals.request', {
  input: z.object({ body: declared }),
  output: withdrawalDraft,
});

/**
 * Declares a withdrawal. The response and its time are the same whether or not there is such an order; a repeat about the same
 * order from the same address changes nothing.
 */
export const confirmWithdrawal = defineRequest('command', 'checkout', 'withdrawals.confirm', {
  input: z.object({ body: declared }),
  output: withdrawalReceipt,
});

/** The order that a withdrawal is about, as far as the seller decides by it. */
const orderOfWithdrawal = z.object({
  id: idSchema('order'),
  product_name: z.string(),
  customer_email: z.string(),
  total_cents: z.int(),
  refunded_cents: z.int(),
  currency: z.string(),
  status: z.enum(['paid', 'refunded', 'authorized', 'expired']),
  immediate_access: z
    .string()
    .nullable()
    .describe(
      'The sentence by which the buyer gave up the right to withdraw on the checkout; null where none was asked.',
    ),
  created_at: timestamp,
});

const withdrawalResource = z
  .object({
    id: idSchema('withdrawal'),
    status: withdrawalStatus,
    name: z.string(),
    bought: z.string().describe('What was typed: the order’s number, or what was bought.'),
    email: z.string().describe('What was typed; it may be another than the order’s.'),
    statement: z.string(),
    late: z
      .boolean()
      .nullable()
      .describe('Whether it came after `withdrawalDays`; null while no order is known. It is taken all the same.'),
    answer: z.string().nullable().describe('Why it was declined.'),
    order: orderOfWithdrawal.nullable().describe('What was found for it; null where nothing was.'),
    test: z.boolean(),
    requested_at: timestamp,
    closed_at: timestamp.nullable(),
  })
  .meta({ id: 'Withdrawal' });
export type WithdrawalResource = z.infer<typeof withdrawalResource>;

export const listWithdrawals = defineRequest('read', 'checkout', 'withdrawals.list', {
  input: pageQueryOf(idSchema('withdrawal')).extend({ status: withdrawalStatus.optional() }),
  output: listOf(withdrawalResource),
});

const closeWithdrawalBody = z
  .discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('accepted'),
      orderId: idSchema('order').optional().describe('The order that it is about, where another or none was found.'),
    }),
    z.strictObject({
      status: z.literal('declined'),
      answer: text(limits.description, 1).describe('Why, in words for the buyer, who gets them by email.'),
    }),
  ])
  .meta({ id: 'WithdrawalClose' });

/** Ends a withdrawal. No money moves: an accepted one is followed by `previewRefund` and a refund. */
export const closeWithdrawal = defineRequest('command', 'checkout', 'withdrawals.close', {
  input: z.object({ withdrawalId: z.string(), body: closeWithdrawalBody }),
  output: withdrawalResource,
});

const aboutWithdrawal = {
  withdrawalId: z.string(),
  /** Of the order that was found, with its product; null where none was. */
  orderId: z.string().nullable(),
  productId: z.string().nullable(),
  productName: z.string().nullable(),
  name: z.string(),
  bought: z.string(),
  email: z.string(),
  statement: z.string(),
  test: z.boolean(),
  requestedAt: timestamp,
};

/** A withdrawal was declared. */
export const withdrawalRequested = defineEvent(
  'checkout',
  'withdrawal.requested',
  1,
  z.object({ ...aboutWithdrawal, late: z.boolean().nullable() }),
);

/** The seller declined a withdrawal. */
export const withdrawalDeclined = defineEvent(
  'checkout',
  'withdrawal.declined',
  1,
  z.object({ ...aboutWithdrawal, answer: z.string(), declinedAt: timestamp }),
);
