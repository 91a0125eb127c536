import { z } from 'zod';
import { listOf, pageQueryOf, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { declineReason } from './payments.ts';

const unfinishedStatus = z.enum(['open', 'stalled', 'reminded', 'expired']);

/** A checkout whose buyer gave an email and has not paid, as the seller sees it. No secret of the buyer is in it. */
const unfinishedCheckout = z
  .object({
    id: idSchema('checkout'),
    status: unfinishedStatus.describe(
      '`open`: touched within `nudgeAfterMinutes`. `stalled`: not touched since. `reminded`: an email about it went to its ' +
        'buyer. `expired`: not paid within 30 days, or the hold was lost.',
    ),
    product_id: idSchema('product'),
    customer_email: z.string(),
    customer_name: z.string(),
    country: z.string().nullable(),
    discount_code: z.string().nullable(),
    affiliate_code: z.string().nullable(),
    reason: declineReason.nullable().describe('Why the last attempt to pay was declined, where one was.'),
    created_at: timestamp,
    last_active_at: timestamp.describe('When its buyer opened it, changed it or tried to pay last.'),
    reminded_at: timestamp.nullable(),
  })
  .meta({ id: 'UnfinishedCheckout' });
export type UnfinishedCheckout = z.infer<typeof unfinishedCheckout>;

export const listCheckouts = defineRequest('read', 'checkout', 'checkouts.list', {
  input: pageQueryOf(idSchema('checkout')).extend({
    status: unfinishedStatus.optional(),
    productId: idSchema('product').optional(),
  }),
  output: listOf(unfinishedCheckout),
});
