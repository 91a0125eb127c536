import { linkButton } from '../../components/button.ts';
import { money } from '../../components/lines.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { type ListContent, listPager, pageQuery } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { type Affiliate, affiliatesPath, affiliateTabs, pathOf, termsOf } from './parts.ts';

const texts = {
  title: 'Affiliates',
  add: 'Add an affiliate',
  name: 'Name',
  code: 'Code',
  added: 'Added',
  earns: 'Earns',
  due: 'Due',
  empty:
    'There are no affiliates yet. An affiliate sends you buyers by a link with a code, and earns a part of each sale.',
} as const;

/** GET of the affiliates, newest first. */
export async function showAffiliates(visit: Visit): Promise<DashboardPage> {
  const [affiliates, { defaultCurrency }] = await Promise.all([
    visit.read('listAffiliates', { query: pageQuery(visit) }),
    visit.account(),
  ]);
  return affiliatesPage({
    affiliates: affiliates.data,
    defaultCurrency,
    formats: visit.formats,
    pager: listPager(visit, 'Pages of affiliates', affiliates),
  });
}

interface AffiliatesContent extends ListContent {
  readonly affiliates: readonly Affiliate[];
  /** Of fixed commissions. */
  readonly defaultCurrency: string;
}

export function affiliatesPage({ affiliates, defaultCurrency, formats, pager }: AffiliatesContent): DashboardPage {
  const action = linkButton({ label: texts.add, href: `${affiliatesPath}/new`, kind: 'accent' });
  const rows = affiliates.map((affiliate) => ({
    href: pathOf(affiliate.code),
    cells: [
      html`<bdi>${affiliate.name}</bdi>`,
      html`<bdi>${affiliate.code}</bdi>`,
      when(affiliate.created_at, formats),
      termsOf(affiliate, defaultCurrency, formats),
      due(affiliate, formats),
    ],
  }));
  const list = affiliates.length === 0 ? emptyState(texts.empty) : table({ caption: texts.title, columns, rows });
  return { title: texts.title, action, main: html`${affiliateTabs('affiliates')}${list}${pager}` };
}

const columns = columnsOf({
  title: texts.name,
  wide: [texts.code, texts.added],
  detail: texts.earns,
  end: texts.due,
});

/** What may be paid, in each currency in which that is anything. */
function due({ balances }: Affiliate, formats: Formats): Html {
  const owed = balances.filter(({ due_cents }) => due_cents !== 0);
  return joined(
    owed.map(({ due_cents, currency }) => money(formats.amount(due_cents, currency))),
    ', ',
  );
}
