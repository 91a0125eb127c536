import { money } from '../../components/lines.ts';
import { emptyState } from '../../components/parts.ts';
import { pager } from '../../components/rows.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { dailyJobPath, dailyJobTitle, type Preview, planPath } from './parts.ts';

const texts = {
  title: 'What the next run would do',
  empty: 'Nothing is due now.',
  attempt: (label: string, attempt: number) => `${label}, attempt ${attempt}`,
  first: 'First',
  next: 'Next',
} as const;

type Action = Preview['data'][number];

const kinds: Readonly<Record<Action['kind'], string>> = {
  renewal: 'Charge a renewal',
  retry: 'Charge a failed renewal again',
  cancellation: 'End a canceled subscription',
  settlement: 'Charge a held order',
  look_up: 'Look up a payment',
  reminder: 'Remind of a checkout',
};

const columns = columnsOf({ title: 'Buyer', wide: 'Product', detail: 'What', status: 'Due', end: 'Amount' });

/** To whom, what, for how much: in the order in which a run does it. */
export const planTable = (actions: readonly Action[], formats: Formats): Html =>
  table({
    caption: texts.title,
    columns,
    rows: actions.map((action) => ({
      href: actionPath(action),
      cells: [
        html`<bdi>${action.customer_email}</bdi>`,
        html`<bdi>${action.product_name}</bdi>`,
        action.attempt !== null && action.attempt > 1
          ? texts.attempt(kinds[action.kind], action.attempt)
          : kinds[action.kind],
        when(action.due_at, formats),
        action.amount_cents === 0 ? html`–` : money(formats.amount(action.amount_cents, action.currency)),
      ],
    })),
  });

/** Where it is about, as far as that has a page. */
function actionPath({ kind, id }: Action): string | undefined {
  if (kind === 'settlement') return `/app/orders/${id}`;
  return kind === 'renewal' || kind === 'retry' || kind === 'cancellation' ? `/app/subscriptions/${id}` : undefined;
}

export function planPage({ formats, request }: Visit, { data, next }: Preview): DashboardPage {
  const links = pager({
    label: texts.title,
    first: request.query.has('after') ? { label: texts.first, href: planPath } : null,
    next: next === null ? null : { label: texts.next, href: `${planPath}?${new URLSearchParams({ after: next })}` },
  });
  return {
    title: texts.title,
    back: { href: dailyJobPath, label: dailyJobTitle },
    main: data.length === 0 ? emptyState(texts.empty) : html`${planTable(data, formats)}${links}`,
  };
}
