import { z } from 'zod';
import { limits } from './common.ts';
import { defineRequest } from './define.ts';
import { pricingType } from './products.ts';

const day = z.iso.date();

/** Of one currency, by the published formulas. The last two are those at the end. */
const money = z.object({
  revenueCents: z.int(),
  orders: z.int(),
  refunds: z.int(),
  refundedCents: z.int(),
  mrrCents: z.int().describe('At the end.'),
  activeSubscriptions: z.int().describe('At the end.'),
});
export type OverviewMoney = z.infer<typeof money>;

/** Beside the sums of a span: what is left of them, and rates. An older version of the service leaves them out. */
const sales = z.object({
  netRevenueCents: z
    .int()
    .optional()
    .describe('`revenueCents` less `refundedCents`. Fees of the payment processor are not subtracted.'),
  aovCents: z.int().optional().describe('The average total of an order.'),
  bumpTakeRate: z.number().optional().describe('From 0 to 1: orders with a bump, of all orders.'),
  upsellTakeRate: z.number().optional().describe('From 0 to 1: orders with an upsell, of those that were shown one.'),
});
export type OverviewSales = z.infer<typeof sales>;

/** Of all products together: a visit has no currency. */
const visits = z.object({
  views: z.int(),
  conversionRate: z.number(),
  checkoutOrders: z
    .int()
    .optional()
    .describe('Orders from the checkout, of which the conversion is made; those recorded by API have no view.'),
});

const point = z.object({ date: z.string().describe('The day as `YYYY-MM-DD`, or the month as `YYYY-MM`.') });
export const overviewStep = z.enum(['day', 'month']);

const overviewProduct = z
  .object({
    id: z.string(),
    name: z.string(),
    pricingType: pricingType.nullable().describe('Null until the event with it is here.'),
    currency: z.string().nullable().describe('Null until the first sale.'),
  })
  .extend(money.shape)
  .extend(sales.shape)
  .extend(visits.shape);

/** The numbers of all products over a span of UTC days, and over the span of equal length before it. */
export const overview = z
  .object({
    from: day.describe('The first day of the span, UTC.'),
    to: day.describe('The last day of the span, UTC.'),
    previous: z.object({ from: day, to: day }).describe('The span of as many days before.'),
    by: overviewStep,
    currencies: z
      .array(
        z.object({
          currency: z.string(),
          current: money.extend(sales.shape),
          previous: money.extend(sales.shape),
          series: z.array(point.extend(money.shape)).describe('Every day or month of the span.'),
        }),
      )
      .describe('Every currency in which the account ever sold, by its code.'),
    visits: z
      .object({ current: visits, previous: visits, series: z.array(point.extend(visits.shape)) })
      .describe('Views and conversion of all products: a visit has no currency.'),
    products: z
      .array(overviewProduct)
      .describe('Those with the most revenue of their currency in the span first. The rest is in the sums above too.'),
    productCount: z.int().describe('Of all products, those that `limit` left out among them.'),
  })
  .meta({ id: 'Overview' });
export type Overview = z.infer<typeof overview>;
export type OverviewProduct = z.infer<typeof overviewProduct>;

/** A leap year, so that every year and every twelve months fit. */
export const overviewDaysMax = 366;
/** Ten years, of which a series by month has 121 points. */
export const overviewDaysMaxByMonth = 3_660;

export const getOverview = defineRequest('read', 'metrics', 'overview.get', {
  input: z.object({
    from: day.optional().describe('First day of the span, UTC; left out, 29 days before `to`.'),
    to: day
      .optional()
      .describe(
        `Last day, UTC, today at the latest; left out, today. At most ${overviewDaysMax} days with \`from\`, and ${overviewDaysMaxByMonth} by month.`,
      ),
    by: overviewStep.optional().describe('What a point of the series is; left out, a day.'),
    limit: z.coerce.number().int().min(1).max(limits.listMax).optional().describe('How many products at most.'),
  }),
  output: overview,
});
