import { linkButton } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { notice } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { type Drawn, emailOf } from './automation-preview.ts';
import { automationBadge, doesText, isOfProducts } from './automations-page.ts';
import { type Delivery, latestDeliveries } from './latest-deliveries.ts';
import { type Automation, automationPath, automationsPath } from './parts.ts';

const texts = {
  back: 'Automations',
  builtIn: 'It is built in: every shop has it.',
  offBySeller: 'You switched it off: it sends nothing.',
  offGone: 'It was switched off, because its URL answered 410 (gone).',
  offFailing: 'It was switched off, because nothing had arrived for five days.',
  seeWhy: 'See why',
  noMail: 'No mail server is set up here, so it sends nothing, and keeps nothing to send later.',
  test: 'Send a test',
  switchOn: 'Switch it on',
  switchOff: 'Switch it off',
  change: 'Change it',
  secret: 'Signing secret',
  remove: 'Remove it',
  setup: 'Set-up',
  when: 'When',
  product: 'Product',
  every: 'Every product',
  does: 'Does',
  added: 'Added',
  twoSecrets: 'Two signatures until',
  email: 'Its email, with sample data',
  none: 'It has sent nothing yet.',
} as const;

interface AutomationContent {
  readonly automation: Automation;
  /** The name of its product; null for each product. */
  readonly product: string | null;
  readonly deliveries: readonly Delivery[];
  /** Its email; null for one that sends to a URL. */
  readonly drawn: Drawn | null;
  /** What was just done to it. */
  readonly done: string | null;
  readonly formats: Formats;
}

/** One automation: when it does what, what became of it, and all that can be done with it. */
export function automationPage(content: AutomationContent): DashboardPage {
  const { automation, deliveries, drawn, done, formats } = content;
  const { id, name, active, available } = automation;
  const latest = latestDeliveries({ id, deliveries, formats, empty: emptyState(texts.none) });
  const action = active
    ? available && linkButton({ label: texts.test, href: automationPath(id, '/test'), kind: 'accent' })
    : linkButton({ label: texts.switchOn, href: automationPath(id, '/switch'), kind: 'accent' });
  return {
    title: name,
    heading: html`<bdi>${name}</bdi>`,
    back: { href: automationsPath, label: texts.back },
    about: automationBadge(automation),
    action: html`${action}`,
    main: html`${done !== null && notice('good', done)}${noticesOf(automation)}<div class="two-columns">${latest}<div class="stack">${card(
      texts.setup,
      setupOf(content),
    )}${drawn !== null && card(texts.email, emailOf(drawn))}</div></div>`,
  };
}

function noticesOf({ id, active, switched_off, available }: Automation): Html {
  if (switched_off === null || active) return available ? html`` : notice('warn', texts.noMail);
  const { reason } = switched_off;
  if (reason === 'seller') return notice('info', texts.offBySeller);
  const attempts = html`<a href="/app/activity?endpointId=${id}&amp;status=failed">${texts.seeWhy}</a>`;
  return notice('bad', reason === 'gone' ? texts.offGone : texts.offFailing, attempts);
}

function setupOf({ automation, product, formats }: AutomationContent): Html {
  const { id, event, built_in, action, active, previous_secret_expires_at: two, created_at } = automation;
  const to = (page: string, label: string) => html`<li><a href="${automationPath(id, page)}">${label}</a></li>`;
  const isOwn = built_in === null;
  const known = facts([
    [texts.when, eventLabel(event)],
    ...(isOfProducts(event) ? [[texts.product, html`<bdi>${product ?? texts.every}</bdi>`] as const] : []),
    [texts.does, html`<bdi>${doesText(automation)}</bdi>`],
    ...(isOwn ? [[texts.added, when(created_at, formats)] as const] : []),
    ...(two === null ? [] : [[texts.twoSecrets, when(two, formats)] as const]),
  ]);
  return html`${!isOwn && html`<p class="small quiet">${texts.builtIn}</p>`}${known}<ul class="links">${to('/change', texts.change)}${
    action.type === 'post' && to('/secret', texts.secret)
  }${to('/switch', active ? texts.switchOff : texts.switchOn)}${isOwn && to('/remove', texts.remove)}</ul>`;
}
