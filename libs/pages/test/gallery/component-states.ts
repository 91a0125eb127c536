import { button, linkButton, linkLike } from '../../src/components/button.ts';
import { card, facts, fold } from '../../src/components/card.ts';
import { choices } from '../../src/components/choice.ts';
import { field, select } from '../../src/components/field.ts';
import { lines } from '../../src/components/lines.ts';
import { badge, bar, notice } from '../../src/components/notice.ts';
import { copyField, emptyState, stats, tabs, timeline } from '../../src/components/parts.ts';
import { pager, rows } from '../../src/components/rows.ts';
import { columnsOf, table } from '../../src/components/table.ts';
import { type Html, html } from '../../src/html.ts';
import { arabicName, longName } from './samples.ts';

/** States that a picture shows at once: each has its heading. */
const states = (all: Readonly<Record<string, Html>>): Html =>
  html`${Object.entries(all).map(([name, shown]) => html`<section class="card"><h2>${name}</h2><div class="stack">${shown}</div></section>`)}`;

const buttonsOf = (kind: 'accent' | 'plain' | 'danger'): Html =>
  states({
    'at rest': button({ label: 'Pay $149.00', kind }),
    hover: button({ label: 'Pay $149.00', kind, state: 'hover' }),
    focus: button({ label: 'Pay $149.00', kind, state: 'focus' }),
    busy: button({ label: 'Pay $149.00', busyLabel: 'Paying…', kind, isBusy: true }),
    disabled: button({ label: 'Pay $149.00', kind, isDisabled: true }),
    long: button({ label: longName, kind, isWide: true }),
    'right to left': button({ label: arabicName, kind }),
  });

interface GivenInput {
  readonly name: string;
  readonly value: string;
  readonly state?: string;
  readonly isDisabled?: boolean;
}

/** What inputs of each kind have in common. */
const statesOfInput = (shown: (given: GivenInput) => Html, value: string) => ({
  empty: shown({ name: 'empty', value: '' }),
  filled: shown({ name: 'filled', value }),
  hover: shown({ name: 'hover', value, state: 'hover' }),
  focus: shown({ name: 'focus', value, state: 'focus' }),
  disabled: shown({ name: 'disabled', value, isDisabled: true }),
});

const input = { label: 'Email', type: 'email', hint: 'For your order.', autocomplete: 'email' } as const;
const fields = (): Html =>
  states({
    ...statesOfInput((given) => field({ ...input, ...given }), 'ada@example.com'),
    error: field({ ...input, name: 'error', value: 'ada', error: 'Enter an email address, like ada@example.com.' }),
    long: field({ ...input, name: 'long', type: 'text', value: longName }),
    'right to left': field({ ...input, name: 'arabic', type: 'text', value: arabicName }),
    'with a button': field({ ...input, name: 'beside', value: '', beside: button({ label: 'Apply' }) }),
    'with a question': field({
      ...input,
      name: 'below',
      value: 'ada@gmial.com',
      below: notice('info', 'Did you mean ada@gmail.com?', html`<p>${linkLike({ label: 'Use ada@gmail.com' })}</p>`),
    }),
  });

const menu = {
  label: 'Country',
  options: [
    ['', 'Not said'],
    ['GB', 'United Kingdom'],
    ['xx', longName],
  ],
} as const;
const selects = (): Html =>
  states({
    ...statesOfInput((given) => select({ ...menu, ...given }), 'GB'),
    error: select({ ...menu, name: 'error', value: '', error: 'Choose a country of the list.' }),
    long: select({ ...menu, name: 'long', value: 'xx' }),
  });

const price = html`<b class="label">+ <bdi class="amount">$19.00</bdi></b>`;
const choicesOf = (kind: 'checkbox' | 'radio'): Html =>
  states({
    'at rest': choices({
      legend: 'Add to your order',
      name: 'rest',
      kind,
      choices: [
        { value: '1', label: 'The workbook, printed', end: price, isChosen: true },
        { value: '2', label: 'A box of twelve colours', end: price, isChosen: false },
        { value: '3', label: 'Hovered over', end: price, isChosen: false, state: 'hover' },
        { value: '4', label: 'In focus', end: price, isChosen: false, state: 'focus' },
        { value: '5', label: longName, end: price, isChosen: false },
        { value: '6', label: arabicName, end: price, isChosen: false },
        { value: '7', label: 'On 23 Dec 2026', hint: 'It stays as it is until then.', isChosen: false },
      ],
    }),
    disabled: choices({
      legend: 'Add to your order',
      name: 'disabled',
      kind,
      isDisabled: true,
      choices: [{ value: '1', label: 'The workbook, printed', end: price, isChosen: true }],
    }),
  });

const meanings = ['good', 'warn', 'bad', 'info'] as const;
const notices = (): Html =>
  states({
    bars: html`${meanings.map((meaning) => bar(meaning, 'This is a test purchase. Nothing is charged.'))}`,
    notices: html`${meanings.map((meaning) => notice(meaning, 'Your card was declined. Nothing was charged. Try another card.'))}`,
    'with a button': notice('info', 'Did you mean ada@gmail.com?', html`<p>${linkLike({ label: 'Use it' })}</p>`),
    badges: html`<p>${['Active', 'Card held', 'Past due', 'Paused', 'Ended'].map((label, index) => html`${badge(meanings[index] ?? 'none', label)} `)}</p>`,
    long: notice('info', longName),
    'right to left': notice('info', arabicName),
  });

const cards = (): Html =>
  html`${card(
    'Receipt',
    facts([
      ['Order number', html`<code class="small">ord_01jd2q5v8kfw9s3x6z7yabcdef</code>`],
      ['Date', '23 Nov 2026'],
      [longName, longName],
      ['Product', arabicName],
    ]),
  )}
<section class="card"><h2>Lines</h2>${lines(
    'Lines',
    [
      { label: 'Watercolour in 30 days', amount: '$149.00' },
      { label: longName, amount: '-$1,234,567.89' },
      { label: arabicName, amount: '‏١٬٢٣٤٫٥٠٠ د.ك' },
      { label: 'A box of twelve colours', amount: '¥12,345' },
    ],
    { label: 'Total', amount: '$166.10' },
  )}</section>
<section class="card"><h2>No lines</h2>${lines('No lines', [], { label: 'Total', amount: '$0.00' })}</section>
<section class="card"><h2>Folded</h2>${fold('Order details · 3 items', html`<p>Inside</p>`)}${fold(longName, html`<p>Inside</p>`, { isOpen: true })}</section>`;

const aRow = {
  title: 'The open studio',
  detail: 'Next charge 23 Dec 2026',
  end: html`<bdi class="amount">$29.00</bdi>`,
};
const paid = [badge('good', 'Paid')];
const lists = (): Html =>
  html`<section class="card"><h2>Rows that lead on</h2>${rows([
    Object.assign({}, aRow, { href: '/', badges: paid }),
    Object.assign({}, aRow, { href: '/', title: 'Hovered over', state: 'hover' }),
    Object.assign({}, aRow, { href: '/', title: 'In focus', state: 'focus' }),
    Object.assign({}, aRow, { href: '/', title: longName, detail: longName, badges: [...paid, badge('warn', 'Test')] }),
    Object.assign({}, aRow, { href: '/', title: html`<bdi>${arabicName}</bdi>` }),
  ])}${pager({ label: 'Rows', first: { label: 'Newest', href: '/' }, next: { label: 'Older', href: '/' } })}</section>
<section class="card"><h2>Rows</h2>${rows([aRow, Object.assign({}, aRow, { detail: '', badges: paid })])}</section>`;

const links = (): Html =>
  states({
    accent: linkButton({ label: 'Open what you bought', href: '/', kind: 'accent' }),
    plain: linkButton({ label: 'Check now', href: '/' }),
    hover: linkButton({ label: 'Check now', href: '/', state: 'hover' }),
    focus: linkButton({ label: 'Check now', href: '/', state: 'focus' }),
    beside: linkLike({ label: 'Remove' }),
    long: linkButton({ label: longName, href: '/', isWide: true }),
  });

const dashboardParts = (): Html =>
  states({
    tabs: tabs('Orders', [
      { label: 'Orders', href: '/', isOpen: true },
      { label: longName, href: '/', isOpen: false },
    ]),
    empty: emptyState('There are no orders yet.', linkButton({ label: 'Open your products', href: '/' })),
    stats: stats([
      { label: 'Revenue', value: '$12,345.00', since: '▲ 12 % since 1 Oct 2026', href: '/' },
      { label: 'Orders', value: '0' },
      { label: longName, value: '-$1,234,567,890.00', since: longName },
    ]),
    copy: copyField('Link', `https://atelier.example/${'a'.repeat(80)}`, 'copied'),
    timeline: timeline([
      { at: html`23 Nov 2026`, title: 'Paid', detail: 'Card ending in 4242', badge: badge('good', 'Paid') },
      { at: html`23 Nov 2026`, title: longName, detail: longName },
    ]),
  });

const tables = (): Html =>
  html`<section class="card"><h2>Table</h2>${table({
    caption: 'Orders',
    columns: columnsOf({ title: 'Buyer', wide: 'Product', detail: 'When', status: 'Status', end: 'Total' }),
    rows: [
      { href: '/', cells: ['ada@example.com', 'Watercolour', '23 Nov 2026', paid[0] ?? '', '$149.00'] },
      { href: '/', cells: [longName, longName, '23 Nov 2026', badge('none', 'Refunded'), '-$1,234,567.89'] },
      { cells: [html`<bdi>${arabicName}</bdi>`, 'Leads nowhere', '23 Nov 2026', '', '¥12,345'] },
    ],
  })}</section>`;

/** Every component in every state. */
export const componentStates: Readonly<Record<string, () => Html>> = {
  'button-accent': () => buttonsOf('accent'),
  'button-plain': () => buttonsOf('plain'),
  'button-danger': () => buttonsOf('danger'),
  links,
  fields,
  selects,
  checkboxes: () => choicesOf('checkbox'),
  'radio-cards': () => choicesOf('radio'),
  notices,
  cards,
  lists,
  'dashboard-parts': dashboardParts,
  tables,
};
