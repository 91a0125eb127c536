import type { ProductResource } from '@app/contracts/products';
import { button, linkButton } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { select } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { badge, notice } from '../../components/notice.ts';
import { copyField, emptyState, stats, tabs } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { dayOf, when } from '../frame/times.ts';
import type { Body, DashboardPage } from '../frame/visit.ts';
import { type Affiliate, aboutAffiliate, affiliatesPath, pathOf, type Statement, termsOf } from './parts.ts';

const texts = {
  back: 'Affiliates',
  payout: 'Record a payout',
  edit: 'Change the affiliate',
  terms: 'Terms',
  earns: 'Earns',
  linkTo: (name: string, product: string) => `Link of ${name} to ${product}`,
  product: 'To another product',
  show: 'Show the link',
  linkMeans: 'Added to the link of any product, it credits the affiliate:',
  lists: 'What the affiliate earned',
  statement: 'Statement',
  commissions: 'Commissions',
  due: 'Due',
  pending: 'Pending',
  paid: 'Paid',
  what: 'What',
  when: 'When',
  balance: 'Owed after it',
  status: 'Status',
  amount: 'Amount',
  none: 'Nothing was earned yet.',
} as const;

const did = {
  payout: 'The payout is recorded. It moved no money: pay the affiliate where you pay people.',
  saved: 'Saved.',
} as const;

type OnSale = Pick<ProductResource, 'id' | 'name' | 'checkout_url'>;

interface About {
  readonly affiliate: Affiliate;
  readonly defaultCurrency: string;
  /** What the address says of the last click. */
  readonly did: string | null;
  /** The products that the affiliate can link to. */
  readonly onSale: readonly OnSale[];
  /** The one whose link is shown; null where none is on sale. */
  readonly chosen: OnSale | null;
}

export function affiliatePage(about: About, statement: Statement, formats: Formats, pager: Html): DashboardPage {
  const { code } = about.affiliate;
  const balances = statement.balances.flatMap((each) =>
    (['due', 'pending', 'paid'] as const).map((kind) => ({
      label: `${texts[kind]}, ${each.currency.toUpperCase()}`,
      value: formats.amount(each[`${kind}_cents`], each.currency),
    })),
  );
  const rows = statement.data.map((line) => ({
    href: line.order_id === null ? undefined : `/app/orders/${line.order_id}`,
    cells: [
      lineNames[line.kind],
      when(line.created_at, formats),
      money(formats.amount(line.balance_cents, line.currency)),
      money(formats.amount(line.amount_cents, line.currency)),
    ],
  }));
  const list =
    rows.length === 0 ? emptyState(texts.none) : table({ caption: texts.statement, columns: statementColumns, rows });
  const said = about.did === 'payout' || about.did === 'saved' ? notice('good', did[about.did]) : null;
  const action = linkButton({ label: texts.payout, href: `${pathOf(code)}/payout`, kind: 'accent' });
  const main = html`${said}${balances.length > 0 && stats(balances)}${termsCard(about, formats)}${listTabs(code, true)}${list}${pager}`;
  return Object.assign(around(about), { action, main });
}

const lineNames = {
  commission: 'Commission',
  void: 'Commission voided: the order was refunded',
  clawback: 'Commission taken back: the order was refunded',
  payout: 'Payout',
} as const;

const statementColumns = columnsOf({ title: texts.what, detail: texts.when, wide: texts.balance, end: texts.amount });

type Commission = Body<'listCommissions'>['data'][number];

export function commissionsPage(
  about: About,
  commissions: readonly Commission[],
  formats: Formats,
  pager: Html,
): DashboardPage {
  const rows = commissions.map((commission) => ({
    href: `/app/orders/${commission.order_id}`,
    cells: [
      kindNames[commission.kind],
      when(commission.created_at, formats),
      commissionBadge(commission, formats),
      money(formats.amount(commission.amount_cents, commission.currency)),
    ],
  }));
  const list =
    rows.length === 0
      ? emptyState(texts.none)
      : table({ caption: texts.commissions, columns: commissionColumns, rows });
  return Object.assign(around(about), { main: html`${listTabs(about.affiliate.code, false)}${list}${pager}` });
}

const kindNames = { sale: 'Sale', renewal: 'Renewal', clawback: 'Taken back after a refund' } as const;

const commissionColumns = columnsOf({ title: texts.what, detail: texts.when, status: texts.status, end: texts.amount });

function commissionBadge({ status, due_at }: Commission, formats: Formats): Html {
  if (status === 'due') return badge('warn', texts.due);
  if (status === 'paid') return badge('good', texts.paid);
  if (status === 'voided') return badge('none', 'Voided');
  return badge('info', due_at === null ? texts.pending : html`Due ${dayOf(due_at, formats)}`);
}

const around = ({ affiliate }: About) => ({
  title: affiliate.name,
  heading: html`<bdi>${affiliate.name}</bdi>`,
  back: { href: affiliatesPath, label: texts.back },
  about: aboutAffiliate(affiliate),
});

function termsCard(about: About, formats: Formats): Html {
  const { affiliate, defaultCurrency } = about;
  const edit = html`<p class="small"><a href="${pathOf(affiliate.code)}/edit">${texts.edit}</a></p>`;
  const terms = facts([[texts.earns, termsOf(affiliate, defaultCurrency, formats)]]);
  return card(texts.terms, html`${terms}${linkOf(about)}${edit}`);
}

/** The whole link to one product, and the choice of another. */
function linkOf({ affiliate: { code, name }, onSale, chosen }: About): Html {
  if (chosen === null) return html`<p>${texts.linkMeans} <code>?ref=${code}</code></p>`;
  const link = copyField(texts.linkTo(name, chosen.name), `${chosen.checkout_url}?ref=${code}`, 'affiliate-link');
  if (onSale.length === 1) return link;
  const product = select({
    name: 'product',
    label: texts.product,
    value: chosen.id,
    options: onSale.map((each) => [each.id, each.name] as const),
  });
  return html`${link}<form class="filters" action="${pathOf(code)}">${product}${button({ label: texts.show })}</form>`;
}

const listTabs = (code: string, isStatement: boolean): Html =>
  tabs(texts.lists, [
    { label: texts.statement, href: pathOf(code), isOpen: isStatement },
    { label: texts.commissions, href: `${pathOf(code)}/commissions`, isOpen: !isStatement },
  ]);
