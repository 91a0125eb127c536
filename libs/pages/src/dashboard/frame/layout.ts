import { bar } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import { keyboardDialog, keyboardLink } from './keyboard.ts';
import type { Account, DashboardPage } from './visit.ts';

const texts = {
  skip: 'Skip to the page',
  menu: 'Menu',
  dashboard: 'Dashboard',
  search: 'Search',
  searchHint: 'An email address, the beginning of a name, or an id',
  logOut: 'Log out',
  simulated: 'Payments are simulated: buyers can try everything, and no money moves.',
  none: 'No payment processor is chosen: live checkouts cannot be paid.',
  payments: 'Payments',
  copy: 'Copy',
  copied:
    'This is a copy of an installation, or a restored one. You can read everything; it changes nothing, charges nobody and sends nothing until its operator makes it the original.',
  testMode: 'Test mode',
  test: 'Test mode is on: your checkouts take test purchases only, and nothing is charged.',
} as const;

/** The ten parts of the dashboard. */
const sections = [
  { href: '/app', label: 'Home' },
  { href: '/app/products', label: 'Products' },
  { href: '/app/orders', label: 'Orders' },
  { href: '/app/subscriptions', label: 'Subscriptions' },
  { href: '/app/affiliates', label: 'Affiliates' },
  { href: '/app/metrics', label: 'Metrics' },
  { href: '/app/integrations', label: 'Integrations' },
  { href: '/app/activity', label: 'Activity' },
  { href: '/app/daily-job', label: 'Daily job' },
  { href: '/app/settings', label: 'Settings' },
] as const;

interface Framed {
  readonly account: Account;
  /** Of the page: its section is the current one. */
  readonly path: string;
  readonly page: DashboardPage;
}

/** A page with the dashboard around it. */
export function framed({ account, path, page }: Framed): Html {
  const { title, heading, back, action, about, main } = page;
  return html`<a class="skip" href="#main">${texts.skip}</a>${bars(account)}<div id="page" class="dashboard">${side(account, path)}
<main id="main">${back !== undefined && html`<p class="small"><a href="${back.href}">${back.label}</a></p>`}
<header class="page-head"><div class="headed"><h1>${heading ?? title}</h1>${about}</div>${action}</header>
${main}</main></div>${keyboardDialog}`;
}

function bars({ isCopy, testMode, processor }: Account): Html {
  return html`${isCopy && bar('warn', texts.copied, texts.copy)}${testMode && bar('warn', texts.test, texts.testMode)}${processor === 'simulated' && bar('info', texts.simulated, texts.payments)}${
    processor === 'none' && bar('warn', texts.none, texts.payments)
  }`;
}

function side({ name, email }: Account, path: string): Html {
  return html`<header class="side"><details class="menu"><summary>${texts.menu}</summary></details><p class="shop"><bdi>${name}</bdi></p><div class="side-content">
<form class="search" role="search" action="/app/search"><label class="unseen" for="search">${texts.search}</label><input
class="input" id="search" name="q" type="search" placeholder="${texts.search}" title="${texts.searchHint}" autocomplete="off" maxlength="200"><button type="submit" class="unseen">${texts.search}</button></form>
<nav aria-label="${texts.dashboard}"><ul>${sections.map(({ href, label }) => link(href, label, path))}</ul></nav>
<form class="who" method="post" action="/logout"><bdi class="small quiet">${email}</bdi><button type="submit" class="link small">${texts.logOut}</button>${keyboardLink}</form></div></header>`;
}

function link(href: string, label: string, path: string): Html {
  const isCurrent = path === href || (href !== '/app' && path.startsWith(`${href}/`));
  return html`<li><a href="${href}" aria-current="${isCurrent ? (path === href ? 'page' : 'true') : null}">${label}</a></li>`;
}
