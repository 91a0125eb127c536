import { button } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { field } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, form, formKey, freshForm, refusedForm, typedIn, versionOf } from '../frame/forms.ts';
import { dayOf } from '../frame/times.ts';
import type { Account, Answer, Body, DashboardPage, Visit } from '../frame/visit.ts';
import { settingsPage } from './settings-page.ts';

const texts = {
  test: 'Test mode',
  isOn: 'On: your checkouts take test purchases only, and nothing is charged.',
  isOff: 'Off: your checkouts sell.',
  switchOn: 'Switch test mode on',
  switchOff: 'Switch test mode off',
  busy: 'One moment…',
  about: 'Test purchases do not count in your numbers. You see them in tabs of their own, as Test orders.',
  orders: 'Test orders',
  subscriptions: 'Test subscriptions',
  time: 'Live a year',
  timeText:
    'Test subscriptions have a time of their own. Let days pass: each day they renew, are declined and retried as the daily job would do it, and your webhooks get every event, marked as a test. The time does not go back.',
  open: 'Open a checkout:',
  noCheckout: 'No product is live yet: there is no checkout to buy in.',
  products: 'Open your products',
  now: 'Test date:',
  today: 'today',
  ahead: (days: number) => (days === 1 ? 'one day ahead' : `${days} days ahead`),
  days: 'Days',
  daysHint: 'From 1 to 366. A year takes some seconds.',
  advance: 'Let the days pass',
  passing: 'The days pass…',
  switched: (isOn: boolean) =>
    isOn ? 'Test mode is on: your checkouts take test purchases only.' : 'Test mode is off: your checkouts sell.',
  stale: 'Your settings were changed since you opened this page, and nothing was switched. Below is what holds now.',
  passed: (days: string) => `Days that have passed: ${days}.`,
  renewals: (count: string, charged: string) =>
    `Renewals charged: ${count}${charged === '' ? '' : `, ${charged} together`}.`,
  retried: (count: string) => `Declined charges tried again: ${count}.`,
  ended: (count: string) => `Subscriptions ended: ${count}.`,
  notOk:
    'Not all of it could be done: another request took over, or your payment processor did not accept the test key.',
} as const;

const path = '/app/settings/test-mode';

const unsent = { days: '365' };

/** GET of test mode and the time of rehearsals. */
export const showTestMode = (visit: Visit): Promise<DashboardPage> =>
  shown(visit, { state: freshForm(visit, unsent), switchState: freshForm({ typed: null }) });

interface States {
  /** Of the form for days. */
  readonly state: FormState;
  /** Of the switch. */
  readonly switchState: FormState;
}

async function shown(visit: Visit, { state, switchState }: States, isRefused = false): Promise<DashboardPage> {
  const [account, rehearsal, products] = await Promise.all([
    visit.account(),
    visit.read('getRehearsal', {}),
    visit.read('listProducts', { query: { limit: 100 } }),
  ]);
  const { query } = visit.request;
  const said = query.has('switched') ? texts.switched(account.testMode) : passedText(query);
  return settingsPage(
    path,
    html`${switchCard(visit, account, switchState)}${account.testMode && checkoutsLine(products.data)}${timeCard(visit, rehearsal, state)}`,
    isRefused ? null : said,
  );
}

export async function takeTestMode(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const wanted = sent.get('testMode');
  if (wanted !== null) return await switchMode(visit, wanted === 'on');
  const typed = (sent.get('days') ?? '').trim();
  const body = { days: /^\d{1,4}$/.test(typed) ? Number(typed) : (typed as never) };
  const advanced = await visit.call('advanceRehearsal', { body, idempotencyKey: formKey(visit, typed) });
  if (!advanced.ok) {
    const state = refusedForm(visit, advanced.problem, { days: texts.days });
    return refusedPage(await shown(visit, { state, switchState: freshForm({ typed: null }) }, true));
  }
  const { ok, days, rebills, chargedByCurrency } = advanced.body;
  const charged = Object.entries(chargedByCurrency).map(([currency, cents]) => visit.formats.amount(cents, currency));
  const { retried, canceled } = rebills;
  const result = {
    days: String(days),
    renewals: String(rebills.charged),
    charged: charged.join(', '),
    retried: String(retried),
    ended: String(canceled),
    ...(!ok && { failed: '1' }),
  };
  return onTo(`${path}?${new URLSearchParams(result)}`);
}

/** What the days brought, as the address says it. */
export function passedText(query: URLSearchParams): string | null {
  const given = (name: string): string => query.get(name) ?? '0';
  if (!query.has('days')) return null;
  return [
    texts.passed(given('days')),
    texts.renewals(given('renewals'), query.get('charged') ?? ''),
    texts.retried(given('retried')),
    texts.ended(given('ended')),
    ...(query.has('failed') ? [texts.notOk] : []),
  ].join(' ');
}

async function switchMode(visit: Visit, testMode: boolean): Promise<Answer> {
  const switched = await visit.call('updateSettings', {
    body: { testMode },
    ifVersion: versionOf(visit),
    idempotencyKey: formKey(visit, String(testMode)),
  });
  if (switched.ok) return onTo(`${path}?switched=1`);
  const isStale = switched.problem.code === 'version_changed';
  const problem = isStale
    ? Object.assign({}, switched.problem, { detail: texts.stale, code: 'stale' })
    : switched.problem;
  const switchState = refusedForm(visit, problem, {});
  return refusedPage(await shown(visit, { state: freshForm({ typed: null }, unsent), switchState }, true));
}

/** Of so many products: a shop with more has its list of products. */
const checkoutsShown = 3;

/** Where to buy now: test mode alone shows nothing. */
export function checkoutsLine(products: Body<'listProducts'>['data']): Html {
  const live = products.filter(({ status }) => status === 'live').slice(0, checkoutsShown);
  if (live.length === 0) return html`<p>${texts.noCheckout} <a href="/app/products">${texts.products}</a></p>`;
  const links = live.map(({ checkout_url, name }) => html`<a href="${checkout_url}"><bdi>${name}</bdi></a>`);
  return html`<p>${texts.open} ${joined(links, ', ')}</p>`;
}

type Switch = Pick<Account, 'testMode' | 'settingsVersion'>;

export function switchCard(visit: Visit, { testMode: isOn, settingsVersion: version }: Switch, state: FormState): Html {
  const label = isOn ? texts.switchOff : texts.switchOn;
  const buttons = button({
    label,
    busyLabel: texts.busy,
    kind: 'accent',
    name: 'testMode',
    value: isOn ? 'off' : 'on',
  });
  const lists = [
    html`<a href="/app/orders/test">${texts.orders}</a>`,
    html`<a href="/app/subscriptions/test">${texts.subscriptions}</a>`,
  ];
  return card(
    texts.test,
    html`<p>${isOn ? texts.isOn : texts.isOff}</p><p class="quiet">${texts.about} ${joined(lists, ' · ')}</p>${form(visit, { content: html``, state, buttons, version })}`,
  );
}

export function timeCard(
  visit: Visit,
  { now, days_ahead }: { now: string; days_ahead: number },
  state: FormState,
): Html {
  const days = field({
    name: 'days',
    label: texts.days,
    hint: texts.daysHint,
    value: typedIn(state, 'days'),
    error: state.errors.days,
    isRequired: true,
    maxLength: 4,
  });
  const buttons = button({ label: texts.advance, busyLabel: texts.passing });
  const time = facts([
    [texts.now, days_ahead === 0 ? texts.today : html`${dayOf(now, visit.formats)} (${texts.ahead(days_ahead)})`],
  ]);
  return card(texts.time, html`<p>${texts.timeText}</p>${time}${form(visit, { content: days, state, buttons })}`);
}
