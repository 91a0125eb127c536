import { getStatement, type statementLine } from '@app/contracts/affiliates';
import type { RequestOutput } from '@app/contracts/define';
import { type Fee, listOrderFees } from '@app/contracts/fees';
import { listOrders, type OrderResource } from '@app/contracts/orders';
import { listSubscriptions } from '@app/contracts/subscriptions';
import { isTimeZone } from '@app/contracts/time-zone';
import type { CallContext } from '@app/messaging/requester';
import { z } from 'zod';
import type { App } from '../app.ts';
import {
  amountCell,
  type Cell,
  type Columns,
  csvDownload,
  numberCell,
  textCell,
  textColumns,
  timeCells,
} from '../csv.ts';
import { type Download, defineDownload, tagged } from '../operation.ts';
import { pagesOf } from '../pages-of.ts';
import { pathCode } from '../path-params.ts';

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Berlin')
  .optional()
  .describe('Of all times in the file, as the IANA database names it. UTC unless given.');

const paging = { limit: true, before: true } as const;
const aboutFile =
  'A file of RFC 4180 in UTF-8 with a byte order mark, newest first. Amounts are decimals, their currency stands beside them. Text ' +
  'that a spreadsheet would take for a formula begins with an apostrophe. It is made while it is sent: when that fails midway the ' +
  'connection ends, and the file is not complete. What is added meanwhile is not in it.';

const common = { mediaType: 'text/csv', errors: [] } as const;

/** A file such as `orders-2026-11-20.csv`, of the day in the time zone. */
async function fileOf<Row>(
  { clock }: App,
  what: string,
  columns: (zone: string) => Columns<Row>,
  pages: AsyncGenerator<readonly Row[], void, void>,
  zone = 'UTC',
): Promise<Download> {
  const day = timeCells(zone)(clock.now().toISOString())?.slice(0, 10);
  return await csvDownload(`${what}-${day}.csv`, columns(zone), pages);
}

type OrderWithFees = OrderResource & { readonly fees: readonly FeeAmount[] };
interface FeeAmount {
  readonly currency: string;
  readonly cents: number;
}

/** Each order with what the processor kept of its own payments, one sum for each currency. */
async function* withFees(
  { requester }: App,
  context: CallContext,
  pages: AsyncGenerator<readonly OrderResource[], void, void>,
): AsyncGenerator<readonly OrderWithFees[], void, void> {
  for await (const page of pages) {
    const orderIds = page.map(({ id }) => id);
    const { data } = page.length === 0 ? { data: [] } : await requester.request(listOrderFees, { orderIds }, context);
    const byOrder = Map.groupBy(data, ({ order_id }) => order_id);
    yield page.map((order) => ({ ...order, fees: sumsOf(byOrder.get(order.id) ?? []) }));
  }
}

const sumsOf = (fees: readonly Fee[]): FeeAmount[] =>
  [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, each]) => ({
    currency,
    cents: each.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
  }));

/** What is left of the order after refunds and fees: only where these are in its currency. */
function afterFees({ fees: [fee, ...others], total_cents, refunded_cents, currency }: OrderWithFees): Cell {
  if (fee === undefined || others.length > 0 || fee.currency !== currency) return textCell(null);
  return amountCell(total_cents - refunded_cents - fee.cents, currency);
}

/** Fees in several currencies are one text, which no spreadsheet adds up. */
function feesCell({ fees: [fee, ...others] }: OrderWithFees): Cell {
  if (fee === undefined) return textCell(null);
  if (others.length === 0) return amountCell(fee.cents, fee.currency);
  return textCell(
    [fee, ...others].map(({ cents, currency }) => `${amountCell(cents, currency)} ${currency}`).join('; '),
  );
}

function orderColumns(zone: string): Columns<OrderWithFees> {
  const time = timeCells(zone);
  return {
    id: ({ id }) => textCell(id),
    created_at: ({ created_at }) => time(created_at),
    time_zone: () => textCell(zone),
    ...textColumns('status', 'product_id'),
    items: ({ items }) => textCell(items.map(({ label }) => label).join('; ')),
    ...textColumns('customer_email', 'customer_name', 'country'),
    total: ({ total_cents, currency }) => amountCell(total_cents, currency),
    refunded: ({ refunded_cents, currency }) => amountCell(refunded_cents, currency),
    ...textColumns('currency', 'affiliate_code', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'),
    fees: feesCell,
    fee_currency: ({ fees: [fee, ...others] }) => textCell(others.length === 0 ? (fee?.currency ?? null) : null),
    after_fees: afterFees,
  };
}

type Subscription = RequestOutput<typeof listSubscriptions>['data'][number];

function subscriptionColumns(zone: string): Columns<Subscription> {
  const time = timeCells(zone);
  return {
    id: ({ id }) => textCell(id),
    started_at: ({ started_at }) => time(started_at),
    time_zone: () => textCell(zone),
    ...textColumns('status', 'collection', 'order_id', 'product_id', 'product_name', 'customer_email'),
    amount: ({ amount_cents, currency }) => amountCell(amount_cents, currency),
    ...textColumns('currency', 'billing_interval'),
    current_period_end: ({ current_period_end }) => time(current_period_end),
    next_charge_at: ({ next_charge_at }) => time(next_charge_at),
    cancel_at: ({ cancel_at }) => time(cancel_at),
    canceled_at: ({ canceled_at }) => time(canceled_at),
    paused_at: ({ paused_at }) => time(paused_at),
    failed_tries: ({ failed_tries }) => numberCell(failed_tries),
    last_four: ({ last_four }) => textCell(last_four),
    wallet: ({ wallet }) => textCell(wallet ?? null),
  };
}

function lineColumns(zone: string): Columns<z.infer<typeof statementLine>> {
  const time: (timestamp: string) => Cell = timeCells(zone);
  return {
    id: ({ id }) => textCell(id),
    created_at: ({ created_at }) => time(created_at),
    time_zone: () => textCell(zone),
    ...textColumns('kind', 'order_id', 'payout_id'),
    amount: ({ amount_cents, currency }) => amountCell(amount_cents, currency),
    balance: ({ balance_cents, currency }) => amountCell(balance_cents, currency),
    currency: ({ currency }) => textCell(currency),
  };
}

export const exportOperations = [
  ...tagged('Orders', [
    defineDownload({
      ...common,
      id: 'exportOrders',
      audit: 'export',
      path: '/api/v1/orders/export',
      summary: 'Download orders as CSV',
      description:
        'Without test orders; the filters are those of `listOrders`. `fees` are in `fee_currency`, in which the payment processor ' +
        `pays out; \`after_fees\` is there where that is the order’s currency. ${aboutFile}`,
      query: listOrders.input.omit(paging).extend({ timeZone }),
      run: async ({ app, query: { timeZone: zone, ...filters }, context }) => {
        const pages = pagesOf((page) => app.requester.request(listOrders, { ...filters, ...page }, context));
        return await fileOf(app, 'orders', orderColumns, withFees(app, context, pages), zone);
      },
    }),
  ]),
  ...tagged('Subscriptions', [
    defineDownload({
      ...common,
      id: 'exportSubscriptions',
      audit: 'export',
      path: '/api/v1/subscriptions/export',
      summary: 'Download subscriptions as CSV',
      description: `The filters are those of \`listSubscriptions\`. ${aboutFile}`,
      query: listSubscriptions.input.omit(paging).extend({ timeZone }),
      run: async ({ app, query: { timeZone: zone, ...filters }, context }) => {
        const pages = pagesOf((page) => app.requester.request(listSubscriptions, { ...filters, ...page }, context));
        return await fileOf(app, 'subscriptions', subscriptionColumns, pages, zone);
      },
    }),
  ]),
  ...tagged('Affiliates', [
    defineDownload({
      ...common,
      id: 'exportStatement',
      audit: 'export',
      path: '/api/v1/affiliates/{code}/statement/export',
      summary: 'Download an affiliate’s statement as CSV',
      description: `What was earned, taken back and paid, and what was owed after each line. ${aboutFile}`,
      params: z.object({ code: pathCode('affiliate_not_found') }),
      query: z.object({ timeZone }),
      errors: ['affiliate_not_found'],
      run: async ({ app, params: { code }, query: { timeZone: zone }, context }) => {
        const pages = pagesOf((page) => app.requester.request(getStatement, { code, ...page }, context));
        return await fileOf(app, `statement-${code.replaceAll(/[^\w-]/g, '')}`, lineColumns, pages, zone);
      },
    }),
  ]),
];
