import { z } from 'zod';
import {
  amountCents,
  besideFields,
  currency,
  emailAddress,
  limits,
  listOf,
  pageQueryOf,
  text,
  timestamp,
} from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

const affiliateCode = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, hyphens and underscores');

export const affiliateResource = z
  .object({
    id: idSchema('affiliate'),
    code: z.string(),
    name: z.string(),
    email: z.string(),
    commission_percent: z.number().nullable(),
    commission_cents: z.int().nullable(),
    renewal_months: z.int(),
    created_at: timestamp,
  })
  .meta({ id: 'Affiliate' });

const commissionFields = {
  commissionPercent: z.number().min(0).max(100).multipleOf(0.01).optional(),
  commissionCents: amountCents
    .optional()
    .describe('A fixed amount for each sale, in minor units of its currency; never more than the sale’s total.'),
  renewalMonths: z.int().min(0).max(1200).optional(),
};
export const createAffiliateBody = z
  .strictObject({ code: affiliateCode, name: text(limits.name, 1), email: emailAddress, ...commissionFields })
  .refine((body) => (body.commissionPercent === undefined) !== (body.commissionCents === undefined), {
    ...besideFields,
    path: ['commissionPercent'],
    message: 'is required where commissionCents is not given, and cannot be given together with it',
  })
  .meta({ id: 'AffiliateCreate' });
export const updateAffiliateBody = z
  .strictObject({ name: text(limits.name, 1).optional(), email: emailAddress.optional(), ...commissionFields })
  .refine((body) => body.commissionPercent === undefined || body.commissionCents === undefined, {
    ...besideFields,
    path: ['commissionPercent'],
    message: 'cannot be given together with commissionCents',
  })
  .meta({ id: 'AffiliateUpdate' });

const commissionResource = z
  .object({
    id: idSchema('commission'),
    order_id: idSchema('order'),
    amount_cents: z.int(),
    currency: z.string(),
    status: z.enum(['pending', 'due', 'paid', 'voided']),
    created_at: timestamp,
    kind: z
      .enum(['sale', 'renewal', 'clawback'])
      .describe('A clawback is a negative entry: the sale was refunded after its commission was paid.'),
    due_at: timestamp.nullable(),
    payout_id: z.string().nullable(),
  })
  .meta({ id: 'Commission' });

/** A payout that the seller recorded. The platform moves no money by it. */
const payoutResource = z
  .object({
    id: idSchema('payout'),
    affiliate_code: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    commission_count: z.int(),
    created_at: timestamp,
  })
  .meta({ id: 'Payout' });

/** A line of an affiliate's statement, from the ledger: what was earned, taken back or paid, and the balance after it. */
export const statementLine = z.object({
  id: z.string(),
  kind: z.enum(['commission', 'void', 'clawback', 'payout']),
  order_id: z.string().nullable(),
  payout_id: z.string().nullable(),
  amount_cents: z.int().describe('Negative for what was taken back or paid.'),
  balance_cents: z.int().describe('What the affiliate was owed after this line.'),
  currency: z.string(),
  created_at: timestamp,
});

const balance = z.object({
  currency: z.string(),
  pending_cents: z.int().describe('Commissions whose hold is not over.'),
  due_cents: z.int().describe('What a payout would pay now.'),
  paid_cents: z.int(),
});

const affiliateWithBalances = affiliateResource
  .extend({ balances: z.array(balance).describe('One for each currency in which there was a commission.') })
  .meta({ id: 'AffiliateWithBalances' });

export const listAffiliates = defineRequest('read', 'affiliate', 'affiliates.list', {
  input: pageQueryOf(idSchema('affiliate')),
  output: listOf(affiliateWithBalances),
});
export const getAffiliate = defineRequest('read', 'affiliate', 'affiliates.get', {
  input: z.object({ code: z.string() }),
  output: affiliateWithBalances,
});
export const createAffiliate = defineRequest('command', 'affiliate', 'affiliates.create', {
  input: z.object({ body: createAffiliateBody }),
  output: affiliateResource,
});
export const updateAffiliate = defineRequest('command', 'affiliate', 'affiliates.update', {
  input: z.object({ code: z.string(), body: updateAffiliateBody }),
  output: affiliateResource,
});
export const listCommissions = defineRequest('read', 'affiliate', 'commissions.list', {
  input: pageQueryOf(idSchema('commission')).extend({ code: z.string() }),
  output: listOf(commissionResource),
});

/** What stands of the commissions on an order and on its renewals, paid or not: what a refund takes back of them. */
export const listOrderCommissions = defineRequest('read', 'affiliate', 'commissions.list-of-order', {
  input: z.object({ orderId: z.string() }),
  output: z.object({
    data: z.array(
      z.object({ affiliateCode: z.string(), renewal: z.boolean(), amountCents: z.int(), currency: z.string() }),
    ),
  }),
});

/**
 * Finds out who is credited with sales that name an affiliate code, for many sales at once and across accounts.
 * `credited[i]` belongs to `wanted[i]`: the code as the affiliate has it; null when the account has no such affiliate, or
 * when the affiliate is the buyer.
 */
export const resolveCredits = defineRequest('read', 'affiliate', 'credits.resolve', {
  input: z.object({
    wanted: z.array(z.object({ accountId: z.string(), code: z.string(), customerEmail: z.string() })),
  }),
  output: z.object({ credited: z.array(z.string().nullable()) }),
});

/** A sale named an affiliate code that the account does not have: the sale stands, no affiliate is credited. */
export const affiliateCodeUnmatched = defineEvent(
  'affiliate',
  'code.unmatched',
  1,
  z.object({ orderId: z.string(), code: z.string(), test: z.boolean() }),
);

const createPayoutBody = z
  .strictObject({
    currency: currency.optional().describe('Needed when commissions are due in more than one currency.'),
    expectedCents: z
      .int()
      .min(0)
      .optional()
      .describe('The amount that you were shown: if another one would be paid, nothing is recorded.'),
  })
  .meta({ id: 'PayoutCreate' });
/**
 * Records a payout of everything that is due, of pending commissions too with `includePending`.
 * @throws DomainError nothing_due, amount_changed, validation_failed for `currency` when there are several
 */
export const createPayout = defineRequest('command', 'affiliate', 'payouts.create', {
  input: z.object({ code: z.string(), includePending: z.boolean(), body: createPayoutBody }),
  output: payoutResource,
});
export const listPayouts = defineRequest('read', 'affiliate', 'payouts.list', {
  input: pageQueryOf(idSchema('payout')).extend({ code: affiliateCode.optional() }),
  output: listOf(payoutResource),
});
export const getStatement = defineRequest('read', 'affiliate', 'affiliates.get-statement', {
  input: z.object({
    code: z.string(),
    limit: z.coerce.number().int().min(1).max(100).optional(),
    before: z.string().max(64).optional(),
  }),
  output: z.object({
    balances: z.array(balance),
    data: z.array(statementLine),
    has_more: z.boolean(),
  }),
});

/** The seller recorded a payout. */
export const affiliatePaid = defineEvent(
  'affiliate',
  'affiliate.paid',
  1,
  z.object({
    payoutId: z.string(),
    affiliateCode: z.string(),
    affiliateName: z.string(),
    affiliateEmail: z.string(),
    amountCents: z.int(),
    currency: z.string(),
    commissionCount: z.int(),
    paidAt: timestamp,
  }),
);
