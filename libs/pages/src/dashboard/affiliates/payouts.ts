import { money } from '../../components/lines.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { Body, DashboardPage, Visit } from '../frame/visit.ts';
import { affiliateTabs, pathOf } from './parts.ts';

const texts = {
  title: 'Payouts',
  affiliate: 'Affiliate',
  when: 'When',
  count: 'Commissions',
  amount: 'Amount',
  empty: 'No payout is recorded yet. Open an affiliate to record one.',
} as const;

/** GET of the payouts of all affiliates, newest first. */
export async function showPayouts(visit: Visit): Promise<DashboardPage> {
  const payouts = await visit.read('listPayouts', { query: pageQuery(visit) });
  return payoutsPage(payouts.data, visit.formats, listPager(visit, 'Pages of payouts', payouts));
}

type Payout = Body<'listPayouts'>['data'][number];

export function payoutsPage(payouts: readonly Payout[], formats: Formats, pager: Html): DashboardPage {
  const rows = payouts.map(({ affiliate_code, created_at, commission_count, amount_cents, currency }) => ({
    href: pathOf(affiliate_code),
    cells: [
      html`<bdi>${affiliate_code}</bdi>`,
      when(created_at, formats),
      formats.count(commission_count),
      money(formats.amount(amount_cents, currency)),
    ],
  }));
  const list = payouts.length === 0 ? emptyState(texts.empty) : table({ caption: texts.title, columns, rows });
  return { title: texts.title, main: html`${affiliateTabs('payouts')}${list}${pager}` };
}

const columns = columnsOf({ title: texts.affiliate, detail: texts.when, wide: texts.count, end: texts.amount });
