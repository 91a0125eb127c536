import { hasProduct, type TriggerName } from '@app/contracts/triggers';
import { linkButton } from '../../components/button.ts';
import { badge, notice } from '../../components/notice.ts';
import { columnsOf, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { eventLabel } from '../frame/event-names.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { endpointBadge } from './endpoints-page.ts';
import { type Automation, automationPath, automationsPath, integrationTabs, integrationTitles } from './parts.ts';

const texts = {
  add: 'Add an automation',
  about: 'When something happens in your shop, an automation sends an email, or sends the event to a URL of yours.',
  noMail: 'No mail server is set up here: automations send no emails.',
  unverified: 'Until your email address is verified, no emails are sent. They wait for three days.',
  verify: 'Verify it',
  renewals:
    'Buyers can get a receipt for each renewal. It is off, because your shop is older than it and another tool of yours may send one.',
  lookAtIt: 'Look at it',
  list: 'Automations',
  name: 'Automation',
  when: 'When',
  does: 'Does',
  state: 'State',
  toBuyer: 'Emails the buyer',
  toSeller: 'Emails you',
  toUrl: (url: string) => `Sends to ${url}`,
  noEmails: 'Sends nothing',
  off: 'Off',
} as const;

interface AutomationsContent {
  /** Whether emails go to others than the seller. */
  readonly isVerified: boolean;
  readonly automations: readonly Automation[];
  /** Names of products, by their ids. */
  readonly products: ReadonlyMap<string, string>;
  readonly pager: Html;
}

/** The built-in ones, and then the seller's own. */
export function automationsPage({ automations, isVerified, products, pager }: AutomationsContent): DashboardPage {
  const rows = automations.map((automation) => ({
    href: automationPath(automation.id),
    cells: [
      html`<bdi>${automation.name}</bdi>`,
      triggerOf(automation, products),
      html`<bdi>${doesText(automation)}</bdi>`,
      automationBadge(automation),
    ],
  }));
  const hasMail = automations.every(({ available }) => available);
  const warning = hasMail
    ? !isVerified && notice('warn', texts.unverified, html`<a href="/app/settings/account">${texts.verify}</a>`)
    : notice('warn', texts.noMail);
  const offered = automations.find(isOffered);
  return {
    ...integrationTitles(automationsPath),
    action: linkButton({ label: texts.add, href: `${automationsPath}/new`, kind: 'accent' }),
    main: html`${integrationTabs(automationsPath)}${warning}${offered !== undefined && notice('info', texts.renewals, html`<a href="${automationPath(offered.id)}">${texts.lookAtIt}</a>`)}<p>${texts.about}</p>${table(
      {
        caption: texts.list,
        columns,
        rows,
      },
    )}${pager}`,
  };
}

/** One that was never on: what was there before may do the same. */
const isOffered = ({ built_in, active, switched_off }: Automation): boolean =>
  built_in === 'renewal_receipt' && !active && switched_off === null;

const columns = columnsOf({ title: texts.name, detail: texts.when, wide: texts.does, end: texts.state });

/** What starts it: an event, of one product or of each. */
function triggerOf({ event, product_id }: Automation, products: ReadonlyMap<string, string>): Html {
  const product = product_id === null ? undefined : products.get(product_id);
  return html`${eventLabel(event)}${product !== undefined && html`: <bdi>${product}</bdi>`}`;
}

/** Whether an event has a product by which an automation can be narrowed. */
export const isOfProducts = (event: string): boolean => hasProduct(event as TriggerName);

export function doesText({ action }: Pick<Automation, 'action'>): string {
  if (action.type === 'post') return texts.toUrl(action.url);
  return action.to === 'buyer' ? texts.toBuyer : texts.toSeller;
}

/** Whether it does what it is for, in one or two words. */
export function automationBadge({ active, switched_off, available }: Automation): Html {
  if (!active && switched_off === null) return badge('none', texts.off);
  if (active && !available) return badge('warn', texts.noEmails);
  return endpointBadge({ active, switched_off, failing_since: null });
}
