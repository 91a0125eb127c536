import { notice } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import type { Body, Visit } from '../frame/visit.ts';
import { withdrawalsPath } from '../orders/parts.ts';

/** Something that waits for the seller. */
export interface Need {
  readonly label: string;
  readonly href: string;
}

const texts = {
  title: 'Needs you',
  pastDue: (count: string, sum: string) => `Past due: ${count} (${sum})`,
  held: (count: string, sum: string) => `Card held: ${count} (${sum})`,
  disputes: (count: string, sum: string) => `Open disputes: ${count} (${sum})`,
  withdrawals: (count: string) => `Withdrawals to answer: ${count}`,
  failing: (url: string) => `Webhooks do not arrive at ${url}`,
} as const;

/** So many are counted and added up; beyond them a + says that there are more. */
const countedMax = 100;

/** What waits for the seller, each with the page where it is seen to. Test purchases wait for nobody. */
export async function readNeeds(
  visit: Visit,
  webhookEndpoints: Promise<Body<'listWebhookEndpoints'>>,
): Promise<readonly Need[]> {
  const { formats } = visit;
  const limit = countedMax;
  const [pastDue, held, disputed, withdrawals, endpoints] = await Promise.all([
    visit.read('listSubscriptions', { query: { status: 'past_due', limit } }),
    visit.read('listOrders', { query: { status: 'authorized', limit } }),
    visit.read('listOrders', { query: { dispute: 'open', limit } }),
    visit.read('listWithdrawals', { query: { status: 'requested', limit } }),
    webhookEndpoints,
  ]);
  const orders = ({ total_cents, currency }: { readonly total_cents: number; readonly currency: string }) => ({
    cents: total_cents,
    currency,
  });
  const periods = pastDue.data.map(({ amount_cents, currency }) => ({ cents: amount_cents, currency }));
  return [
    needOf(texts.pastDue, '/app/subscriptions?status=past_due', { sums: periods, of: pastDue, formats }),
    needOf(texts.held, '/app/orders?status=authorized', { sums: held.data.map(orders), of: held, formats }),
    needOf(texts.disputes, '/app/orders?dispute=open', { sums: disputed.data.map(orders), of: disputed, formats }),
    withdrawalsOf(withdrawals, formats),
    ...endpoints.data
      // What the seller switched off is meant to be off.
      .filter((each) => each.failing_since !== null || (each.switched_off ?? { reason: 'seller' }).reason !== 'seller')
      .map(({ id, url }) => ({ label: texts.failing(url), href: `/app/integrations/webhooks/${id}` })),
  ].filter((need) => need !== null);
}

interface Counted {
  readonly sums: readonly { readonly cents: number; readonly currency: string }[];
  readonly of: { readonly has_more?: boolean | undefined };
  readonly formats: Formats;
}

/** Null where there are none. */
function needOf(
  label: (count: string, sum: string) => string,
  href: string,
  { sums, of, formats }: Counted,
): Need | null {
  if (sums.length === 0) return null;
  const plus = of.has_more === true ? '+' : '';
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  const shown = [...byCurrency].map(([currency, each]) =>
    formats.amount(
      each.reduce((sum, { cents }) => sum + cents, 0),
      currency,
    ),
  );
  return { label: label(`${formats.count(sums.length)}${plus}`, `${shown.join(' + ')}${plus}`), href };
}

type Withdrawals = Body<'listWithdrawals'>;

/** Null where none is unanswered. */
function withdrawalsOf({ data, has_more }: Withdrawals, formats: Formats): Need | null {
  const count = data.filter(({ test }) => !test).length;
  if (count === 0) return null;
  const label = texts.withdrawals(`${formats.count(count)}${has_more === true ? '+' : ''}`);
  return { label, href: `${withdrawalsPath}?status=requested` };
}

/** There also where nothing waits: it is found by its id when something does. */
export const needsPart = (needs: readonly Need[]): Html =>
  html`<div id="needs" hidden="${needs.length === 0}">${needs.length > 0 && needsNotice(needs)}</div>`;

const needsNotice = (needs: readonly Need[]): Html =>
  notice(
    'warn',
    html`<b>${texts.title}</b> ${joined(
      needs.map(({ label, href }) => html`<a href="${href}"><bdi>${label}</bdi></a>`),
      ' · ',
    )}`,
  );
