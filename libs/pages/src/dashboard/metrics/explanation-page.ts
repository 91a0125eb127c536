import type { MetricExplanation, MetricSeries } from '@app/contracts/metrics';
import { lineChart } from '../../charts/line-chart.ts';
import { button } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { select } from '../../components/field.ts';
import { emptyState } from '../../components/parts.ts';
import { pager } from '../../components/rows.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { withCode } from '../../text.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { numbers, shownNumber, tickOf } from './numbers.ts';

const texts = {
  months: 'By month (UTC)',
  span: 'Months',
  show: 'Show',
  formula: 'Formula',
  version: (version: number) => `Version ${version} of the formula`,
  month: 'Month (UTC)',
  always: 'Since the beginning',
  value: 'Value',
  facts: 'What it is made of',
  kind: 'What happened',
  subject: 'Order or subscription',
  when: 'When',
  adds: 'Adds',
  none: 'Nothing adds to it yet.',
} as const;

interface ExplanationContent {
  readonly explanation: MetricExplanation;
  readonly series: MetricSeries;
  /** How many months are drawn. */
  readonly months: number;
  readonly product: { readonly id: string; readonly name: string; readonly currency: string };
  readonly formats: Formats;
  readonly path: string;
}

/** A number's formula, its parts, its months, and the facts of one of them or of all. */
export function explanationPage(content: ExplanationContent): DashboardPage {
  const { explanation, product, formats } = content;
  const { metric, month, value, formula, version, parts } = explanation;
  const shown: [string, string | Html][] = [
    [texts.month, month === null ? texts.always : formats.month(month)],
    [texts.value, shownNumber(metric, value, product.currency, formats)],
  ];
  const sums = Object.entries(parts).map(([name, sum]): [string, string] => [name, formats.count(sum)]);
  return {
    title: `${numbers[metric].label}: ${product.name}`,
    heading: html`${numbers[metric].label}: <bdi>${product.name}</bdi>`,
    back: { href: `/app/metrics/${product.id}`, label: product.name },
    main: html`${card(texts.formula, html`<p>${withCode(formula)}</p>${facts([...shown, ...sums])}<p class="small quiet">${texts.version(version)}</p>`)}
<section class="stack"><h2>${texts.months}</h2>${byMonth(content)}</section>
<section class="stack"><h2>${texts.facts}${month !== null && html`, ${formats.month(month)}`}</h2>${factTable(content)}</section>`,
  };
}

/** Months of which a chart may be. */
export const spans = [12, 24, 60, 120] as const;

/** Each month of the table leads to its facts. */
function byMonth({ explanation, series, months, product, formats, path }: ExplanationContent): Html {
  const { metric, month: chosen } = explanation;
  const address = (month: string) => `${path}?${new URLSearchParams({ month, months: String(months) })}`;
  const chart = lineChart({
    title: numbers[metric].label,
    points: series.data.map(({ month, value }) => ({ date: month, value })),
    value: (value) => shownNumber(metric, value, product.currency, formats),
    tick: tickOf(metric, product.currency, formats),
    date: formats.month,
    href: address,
  });
  const span = select({
    name: 'months',
    label: texts.span,
    value: String(months),
    options: spans.map((each) => [String(each), formats.count(each)]),
  });
  return html`${chart}<form class="filters" action="${path}">${chosen !== null && html`<input type="hidden" name="month" value="${chosen}">`}${span}${button({ label: texts.show })}</form>`;
}

function factTable({ explanation, months, formats, path }: ExplanationContent): Html {
  const { data, next, month } = explanation;
  if (data.length === 0) return emptyState(texts.none);
  const rows = data.map(({ kind, subject, occurred_at, values }) => ({
    href: leadsTo(subject),
    cells: [
      kind.replaceAll('_', ' '),
      html`<code class="small">${subject}</code>`,
      when(occurred_at, formats),
      Object.entries(values)
        .map(([name, value]) => `${name} ${formats.count(value)}`)
        .join(', '),
    ],
  }));
  const query = new URLSearchParams({ months: String(months) });
  if (month !== null) query.set('month', month);
  const first = `${path}?${query}`;
  query.set('after', next ?? '');
  const pages = pager({
    label: texts.facts,
    first: { label: 'First', href: first },
    next: next === null ? null : { label: 'Next', href: `${path}?${query}` },
  });
  return html`${table({ caption: texts.facts, columns, rows })}${pages}`;
}

function leadsTo(subject: string): string | undefined {
  const [id = ''] = subject.split('/');
  if (id.startsWith('ord_')) return `/app/orders/${id}`;
  return id.startsWith('sub_') ? `/app/subscriptions/${id}` : undefined;
}

const columns = columnsOf({ title: texts.kind, detail: texts.subject, status: texts.when, end: texts.adds });
