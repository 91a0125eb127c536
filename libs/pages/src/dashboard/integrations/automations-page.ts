import { hasProduct, type TriggerName } from '@app/contracts/triggers';
import { linkButton } from '../../components/button.ts';
import { badge, notice } from '../../components/notice.ts';
import { columnsOf, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { withCode } from '../../text.ts';
import { eventLabel } from '../frame/event-names.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { endpointBadge } from './endpoints-page.ts';
import { type Automation, automationPath, automationsPath, integrationTabs, integrationTitles } from './parts.ts';

const texts = {
  add: 'Add an automation',
  about: 'When something happens in your shop, an automation sends an email, or sends the event to a URL of yours.',
  noMail: 'No mail server is set up here: automations send no emails until the setting SMTP_URL names one.',
  folder: 'This installation has no mail server: emails are files in',
  sends: '`SMTP_URL` sends them.',
  unverified: 'Until your email address is verified, no emails are sent. They wait for three days.',
  verify: 'Verify it',
  offered: {
    renewal_receipt:
      'Buyers can get a receipt for each renewal. It is off, because your shop is older than it and another tool of yours may send one.',
    partial_refund_notice:
      'Buyers can get an email when a part of their payment goes back. It is off, because your shop is older than it and another tool of yours may send one.',
  } as Readonly<Record<string, string>>,
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
  /** Where emails are files; null where they are sent. */
  readonly emailFolder: string | null;
  readonly automations: readonly Automation[];
  /** Names of products, by their ids. */
  readonly products: ReadonlyMap<string, string>;
  readonly pager: Html;
}

/** The built-in ones, and then the seller's own. */
export function automationsPage(content: AutomationsContent): DashboardPage {
  const { automations, products, pager } = content;
  const rows = automations.map((automation) => ({
    href: automationPath(automation.id),
    cells: [
      html`<bdi>${automation.name}</bdi>`,
      triggerOf(automation, products),
      html`<bdi>${doesText(automation)}</bdi>`,
      automationBadge(automation),
    ],
  }));
  return {
    ...integrationTitles(automationsPath),
    action: linkButton({ label: texts.add, href: `${automationsPath}/new`, kind: 'accent' }),
    main: html`${integrationTabs(automationsPath)}${aboutMail(content)}${automations.filter(isOffered).map((offered) => notice('info', texts.offered[offered.built_in ?? ''] ?? '', html`<a href="${automationPath(offered.id)}">${texts.lookAtIt}</a>`))}<p>${texts.about}</p>${table(
      {
        caption: texts.list,
        columns,
        rows,
      },
    )}${pager}`,
  };
}

/** What keeps emails from their recipients. */
function aboutMail({ automations, isVerified, emailFolder }: AutomationsContent): Html {
  if (!automations.every(({ available }) => available)) return notice('warn', texts.noMail);
  const where = html`${texts.folder} <code>${emailFolder}</code>. ${withCode(texts.sends)}`;
  const verify = html`<a href="/app/settings/account">${texts.verify}</a>`;
  return html`${emailFolder !== null && notice('info', where)}${!isVerified && notice('warn', texts.unverified, verify)}`;
}

/** One that was never on: what was there before may do the same. */
const isOffered = ({ built_in, active, switched_off }: Automation): boolean =>
  built_in !== null && built_in in texts.offered && !active && switched_off === null;

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
