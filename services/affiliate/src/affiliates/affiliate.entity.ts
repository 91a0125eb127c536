import type { affiliateResource } from '@app/contracts/affiliates';
import { defineEntity, type InferEntity, type Opt, p } from '@mikro-orm/core';
import type { z } from 'zod';

/** An affiliate earns a percentage of a sale, or a fixed amount for each sale. */
export const Affiliate = defineEntity({
  name: 'Affiliate',
  tableName: 'affiliates',
  properties: {
    accountId: p.string().primary(),
    id: p.string().primary(),
    code: p.string(),
    /** The code in lower case: codes that differ in case only are the same. */
    codeKey: p.string().$type<Opt<string>>().generated('lower(code) stored'),
    name: p.string(),
    email: p.string(),
    commissionBasisPoints: p.integer().strictNullable(),
    commissionCents: p.bigint('number').strictNullable(),
    renewalMonths: p.integer(),
    createdAt: p.datetime(3),
  },
});
export type Affiliate = InferEntity<typeof Affiliate>;

/** Of an account that is known. */
export type AffiliateRow = Pick<
  Affiliate,
  'id' | 'code' | 'name' | 'email' | 'commissionBasisPoints' | 'commissionCents' | 'renewalMonths' | 'createdAt'
>;

export function affiliateResourceOf(affiliate: AffiliateRow): z.infer<typeof affiliateResource> {
  const { id, code, name, email, commissionBasisPoints } = affiliate;
  return {
    id,
    code,
    name,
    email,
    commission_percent: commissionBasisPoints === null ? null : commissionBasisPoints / 100,
    commission_cents: affiliate.commissionCents,
    renewal_months: affiliate.renewalMonths,
    created_at: affiliate.createdAt.toISOString(),
  };
}

/** The commission of a body as columns, one of them null; undefined when the body has no commission. */
export function commissionColumns(body: {
  commissionPercent?: number | undefined;
  commissionCents?: number | undefined;
}) {
  const { commissionPercent, commissionCents } = body;
  if (commissionPercent !== undefined) {
    return { commissionBasisPoints: Math.round(commissionPercent * 100), commissionCents: null };
  }
  return commissionCents === undefined ? undefined : { commissionBasisPoints: null, commissionCents };
}
