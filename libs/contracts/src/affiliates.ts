import { z } from 'zod';
import { amountCents, emailAddress, limits, listOf, pageQueryOf, text, timestamp } from './common.ts';
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
  commissionCents: amountCents.optional(),
  renewalMonths: z.int().min(0).max(1200).optional(),
};
export const createAffiliateBody = z
  .strictObject({ code: affiliateCode, name: text(limits.name, 1), email: emailAddress, ...commissionFields })
  .refine((body) => (body.commissionPercent === undefined) !== (body.commissionCents === undefined), {
    path: ['commissionPercent'],
    message: 'must be given unless commissionCents is, and not with it',
  })
  .meta({ id: 'AffiliateCreate' });
export const updateAffiliateBody = z
  .strictObject({ name: text(limits.name, 1).optional(), email: emailAddress.optional(), ...commissionFields })
  .refine((body) => body.commissionPercent === undefined || body.commissionCents === undefined, {
    path: ['commissionPercent'],
    message: 'cannot be given together with commissionCents',
  })
  .meta({ id: 'AffiliateUpdate' });

export const commissionResource = z
  .object({
    id: idSchema('commission'),
    order_id: idSchema('order'),
    amount_cents: z.int(),
    currency: z.string(),
    status: z.enum(['pending', 'due', 'paid', 'voided']),
    created_at: timestamp,
  })
  .meta({ id: 'Commission' });

export const listAffiliates = defineRequest('read', 'affiliate', 'affiliates.list', {
  input: pageQueryOf(idSchema('affiliate')),
  output: listOf(affiliateResource),
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

/** A sale named an affiliate code that the account does not have: the sale stands, nobody is credited. */
export const affiliateCodeUnmatched = defineEvent(
  'affiliate',
  'code.unmatched',
  1,
  z.object({ orderId: z.string(), code: z.string(), test: z.boolean() }),
);
