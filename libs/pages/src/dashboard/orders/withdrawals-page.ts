import { emailKey } from '@app/contracts/email-key';
import type { WithdrawalResource } from '@app/contracts/withdrawals';
import { button, linkButton } from '../../components/button.ts';
import { facts, fold } from '../../components/card.ts';
import { field, select, textArea } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { testBadge } from '../frame/badges.ts';
import { filtersForm } from '../frame/filters.ts';
import { type FormState, form, typedIn } from '../frame/forms.ts';
import type { ListContent } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { ordersPath, orderTabs, withdrawalsPath } from './parts.ts';

type Status = WithdrawalResource['status'];
type Order = NonNullable<WithdrawalResource['order']>;

const texts = {
  title: 'Withdrawals',
  about:
    'What was declared on your withdrawal page. Names and addresses are as they were typed: compare them with the order. Where a withdrawal is right, the law gives you 14 days from it to pay the money back.',
  settings: 'How long buyers may withdraw',
  search: 'Search withdrawals',
  status: 'Status',
  anyStatus: 'Any status',
  statement: 'Statement',
  received: 'Received',
  address: 'Address',
  order: 'Order',
  noOrder: 'No order was found for it.',
  find: 'Find orders of this address',
  differs: 'The order was bought with another address.',
  consent: 'Consent to immediate access',
  closed: 'Closed',
  answer: 'Your answer',
  late: 'Late',
  orderId: 'Order id',
  orderIdHint: 'Of the order that it is about.',
  otherOrder: 'It is about another order',
  accept: 'Accept, and see the refund',
  accepting: 'Accepting…',
  acceptNote: 'Accepting moves no money. The next page shows what a refund does.',
  decline: 'Decline',
  declining: 'Declining…',
  declineFold: 'Decline it',
  why: 'Why',
  whyHint: 'Goes to the address by email.',
  refund: 'Go on to the refund',
  openOrder: 'Open the order',
  empty: 'Nobody has withdrawn from a contract.',
  page: 'Open your withdrawal page',
  noMatch: 'No withdrawal has this status.',
  showAll: 'Show all withdrawals',
} as const;

const badges: Readonly<Record<Status, Html>> = {
  requested: badge('warn', 'Waits for you'),
  accepted: badge('good', 'Accepted'),
  declined: badge('none', 'Declined'),
};

export interface WithdrawalsContent extends ListContent {
  readonly withdrawals: readonly WithdrawalResource[];
  readonly status: Status | undefined;
  /** `/p/{handle}/withdraw`. */
  readonly publicPath: string;
  /** Of the withdrawal whose form was refused. */
  readonly refused: { readonly id: string; readonly state: FormState } | null;
}

type FormVisit = Pick<Visit, 'path' | 'request' | 'typed'>;

export function withdrawalsPage(visit: FormVisit, content: WithdrawalsContent): DashboardPage {
  const { withdrawals, status, publicPath, pager } = content;
  const [text, href, label] =
    status === undefined ? [texts.empty, publicPath, texts.page] : [texts.noMatch, withdrawalsPath, texts.showAll];
  const isBlank = withdrawals.length === 0 && status === undefined;
  const about = html`<p class="small quiet">${texts.about} <a href="/app/settings/pages">${texts.settings}</a></p>`;
  const list =
    withdrawals.length === 0
      ? emptyState(text, html`<p><a href="${href}">${label}</a></p>`)
      : html`${withdrawals.map((each) => withdrawalCard(visit, content, each))}`;
  return {
    title: texts.title,
    main: html`${orderTabs(withdrawalsPath)}${!isBlank && html`${filters(status)}${about}`}<div class="stack">${list}</div>${pager}`,
  };
}

const filters = (status: Status | undefined): Html =>
  filtersForm({
    label: texts.search,
    path: withdrawalsPath,
    fields: select({
      name: 'status',
      label: texts.status,
      value: status ?? '',
      options: [
        ['', texts.anyStatus],
        ['requested', 'Waits for you'],
        ['accepted', 'Accepted'],
        ['declined', 'Declined'],
      ],
    }),
    isNarrowed: status !== undefined,
  });

function withdrawalCard(visit: FormVisit, content: WithdrawalsContent, of: WithdrawalResource): Html {
  const { formats, refused } = content;
  const { order } = of;
  const all: [string, Html][] = [
    [texts.statement, html`<bdi>${of.statement}</bdi>`],
    [texts.received, when(of.requested_at, formats)],
    [texts.address, html`<bdi>${of.email}</bdi>`],
    [texts.order, order === null ? noOrder(of) : orderOf(content, order, of)],
  ];
  if (order?.immediate_access) all.push([texts.consent, html`${order.immediate_access}`]);
  if (of.closed_at !== null) all.push([texts.closed, when(of.closed_at, formats)]);
  if (of.answer !== null) all.push([texts.answer, html`<bdi>${of.answer}</bdi>`]);
  const state = refused?.id === of.id ? refused.state : undefined;
  return html`<section class="card" id="${of.id}"><h2><bdi>${of.name}</bdi> ${badges[of.status]} ${of.late && badge('warn', texts.late)} ${testBadge(of)}</h2>${facts(all)}${
    of.status === 'requested'
      ? answers(visit, of, state)
      : order !== null && of.status === 'accepted' && nextStep(order)
  }</section>`;
}

const noOrder = ({ email }: WithdrawalResource): Html =>
  html`${texts.noOrder} <a href="${ordersPath}?q=${encodeURIComponent(email)}">${texts.find}</a>`;

function orderOf({ formats }: WithdrawalsContent, order: Order, { email }: WithdrawalResource): Html {
  const { id, product_name, customer_email, total_cents, currency } = order;
  const isOther = emailKey(customer_email) !== emailKey(email);
  return html`<a href="${ordersPath}/${id}"><bdi>${product_name}</bdi></a>, ${money(formats.amount(total_cents, currency))}, ${when(order.created_at, formats)}, <bdi>${customer_email}</bdi>${
    isOther && html`<br>${texts.differs}`
  }`;
}

/** Where an accepted one goes on: its money is given back by the refund of its order. */
function nextStep({ id, status }: Order): Html {
  const label = status === 'paid' ? texts.refund : texts.openOrder;
  return html`<p>${linkButton({ label, href: nextPath({ id, status }) })}</p>`;
}

export const nextPath = ({ id, status }: Pick<Order, 'id' | 'status'>): string => {
  const path = `${ordersPath}/${id}`;
  return status === 'paid' ? `${path}/refund` : status === 'authorized' ? `${path}/release` : path;
};

/** The fields of a form, whose names are their own for each withdrawal on the page. */
export const fieldsOf = (id: string) => ({ orderId: `order-of-${id}`, answer: `answer-to-${id}` }) as const;

/** Two forms, so that Enter in one of them never does what the other one does. */
function answers(visit: FormVisit, of: WithdrawalResource, state: FormState | undefined): Html {
  const did = state === undefined ? '' : typedIn(state, 'do');
  const accepted = did === 'accept' ? state : undefined;
  const declined = did === 'decline' ? state : undefined;
  return html`${acceptForm(visit, of, accepted)}${fold(texts.declineFold, declineForm(visit, of, declined), { isOpen: declined !== undefined })}`;
}

const named = (id: string): Html => html`<input type="hidden" name="id" value="${id}">`;

function acceptForm(visit: FormVisit, { id, order }: WithdrawalResource, state: FormState | undefined): Html {
  const name = fieldsOf(id).orderId;
  const orderId = field({
    name,
    label: texts.orderId,
    hint: texts.orderIdHint,
    value: state === undefined ? '' : typedIn(state, name),
    error: state?.errors[name],
    maxLength: 30,
    isRequired: order === null,
  });
  const given = order === null ? orderId : fold(texts.otherOrder, orderId, { isOpen: state !== undefined });
  return form(visit, {
    content: html`${named(id)}${given}<p class="small quiet">${texts.acceptNote}</p>`,
    buttons: button({ label: texts.accept, busyLabel: texts.accepting, name: 'do', value: 'accept', kind: 'accent' }),
    ...(state && { state }),
  });
}

function declineForm(visit: FormVisit, { id }: WithdrawalResource, state: FormState | undefined): Html {
  const name = fieldsOf(id).answer;
  const why = textArea({
    name,
    label: texts.why,
    hint: texts.whyHint,
    value: state === undefined ? '' : typedIn(state, name),
    error: state?.errors[name],
    maxLength: 2_000,
    isRequired: true,
  });
  return form(visit, {
    content: html`${named(id)}${why}`,
    buttons: button({ label: texts.decline, busyLabel: texts.declining, name: 'do', value: 'decline', kind: 'danger' }),
    ...(state && { state }),
  });
}
