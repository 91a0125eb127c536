import type { SubscriptionResource } from '@app/contracts/subscriptions';
import { field, select } from '../../components/field.ts';
import { emptyState, tabs } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { filtersForm } from '../frame/filters.ts';
import type { ListContent } from '../frame/lists.ts';
import { subscriptionTable } from '../frame/subscription-table.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { subscriptionsPath, testSubscriptionsPath } from './parts.ts';

const texts = {
  title: 'Subscriptions',
  testTitle: 'Test subscriptions',
  lists: 'Lists of subscriptions',
  search: 'Search subscriptions',
  email: 'Email of the buyer',
  wrong: 'Enter an email address, like ada@example.com.',
  status: 'Status',
  anyStatus: 'Any status',
  active: 'Active',
  pastDue: 'Past due',
  paused: 'Paused',
  ended: 'Ended',
  empty:
    'There are no subscriptions yet. A product that is paid by the month or by the year begins one with each sale.',
  products: 'Open your products',
  testEmpty: 'There are no test subscriptions yet. Buy a subscription in test mode, or record a test order.',
  record: 'Record a test order',
  noMatch: 'No subscription matches.',
  showAll: 'Show all subscriptions',
} as const;

interface SubscriptionsContent extends ListContent {
  readonly subscriptions: readonly SubscriptionResource[];
  /** As the address has them. */
  readonly filters: { readonly email: string | undefined; readonly status: string | undefined };
  /** The email is no address. */
  readonly isWrong?: boolean;
  /** Whether it lists those of rehearsals. */
  readonly isTest: boolean;
}

export function subscriptionsPage(content: SubscriptionsContent): DashboardPage {
  const { subscriptions, isTest, formats, pager } = content;
  const title = isTest ? texts.testTitle : texts.title;
  const isBlank = subscriptions.length === 0 && !isNarrowed(content);
  const list = subscriptions.length === 0 ? none(content) : subscriptionTable(subscriptions, title, formats);
  return { title, main: html`${listTabs(isTest)}${!isBlank && filters(content)}${list}${pager}` };
}

const isNarrowed = ({ filters: { email, status } }: SubscriptionsContent): boolean =>
  email !== undefined || status !== undefined;

const listTabs = (isTest: boolean): Html =>
  tabs(texts.lists, [
    { label: texts.title, href: subscriptionsPath, isOpen: !isTest },
    { label: texts.testTitle, href: testSubscriptionsPath, isOpen: isTest },
  ]);

function none(content: SubscriptionsContent): Html {
  const { isTest } = content;
  const step = (text: string, href: string, label: string): Html =>
    emptyState(text, html`<p><a href="${href}">${label}</a></p>`);
  if (isNarrowed(content))
    return step(texts.noMatch, isTest ? testSubscriptionsPath : subscriptionsPath, texts.showAll);
  return isTest
    ? step(texts.testEmpty, '/app/orders/new', texts.record)
    : step(texts.empty, '/app/products', texts.products);
}

function filters(content: SubscriptionsContent): Html {
  const { email = '', status = '' } = content.filters;
  const options = [
    ['', texts.anyStatus],
    ['active', texts.active],
    ['past_due', texts.pastDue],
    ['paused', texts.paused],
    ['canceled', texts.ended],
  ] as const;
  return filtersForm({
    label: texts.search,
    path: content.isTest ? testSubscriptionsPath : subscriptionsPath,
    fields: html`${field({ name: 'email', label: texts.email, type: 'email', value: email, maxLength: 254, error: content.isWrong ? texts.wrong : undefined })}${select(
      {
        name: 'status',
        label: texts.status,
        value: status,
        options,
      },
    )}`,
    isNarrowed: isNarrowed(content),
  });
}
