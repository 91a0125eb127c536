import type { getAutomation } from '@app/contracts/automations';
import type { RequestOutput } from '@app/contracts/define';
import type { listRecoveries } from '@app/contracts/webhook-deliveries';
import type { listWebhookEndpoints } from '@app/contracts/webhooks';
import { notice } from '../../components/notice.ts';
import { copyField, tabs } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';

export type Endpoint = RequestOutput<typeof listWebhookEndpoints>['data'][number];
export type Automation = RequestOutput<typeof getAutomation>;
export type Recovery = RequestOutput<typeof listRecoveries>['data'][number];

export const integrationsTitle = 'Integrations';
export const webhooksPath = '/app/integrations';
export const endpointPath = (id: string, page = ''): string => `${webhooksPath}/webhooks/${id}${page}`;
export const recoveryPath = (id: string): string => `${webhooksPath}/recoveries/${id}`;
export const automationsPath = `${webhooksPath}/automations`;
export const automationPath = (id: string, page = ''): string => `${automationsPath}/${id}${page}`;
export const keysPath = `${webhooksPath}/keys`;
export const mcpPath = `${webhooksPath}/mcp`;

const all = [
  { label: 'Webhooks', href: webhooksPath },
  { label: 'Automations', href: automationsPath },
  { label: 'API keys', href: keysPath },
  { label: 'MCP', href: mcpPath },
] as const;

/** The ways in which other tools are connected. @param open the address of the one that is shown */
export const integrationTabs = (open: (typeof all)[number]['href']): Html =>
  tabs(
    integrationsTitle,
    all.map(({ label, href }) => ({ label, href, isOpen: href === open })),
  );

/** The titles of the list of each of them. */
export const integrationTitles = (open: (typeof all)[number]['href']) => ({
  title: integrationsTitle,
  part: all.find(({ href }) => href === open)?.label ?? '',
});

interface Shown {
  readonly label: string;
  /** Undefined when a second click, or a reload, gets the first answer again: it has the notice alone. */
  readonly secret: string | undefined;
  readonly notice: string | undefined;
  /** Where to put it. */
  readonly text: string;
}

/** A secret on the one page that shows it. */
export function secretOnce({ label, secret, notice: lost, text }: Shown): Html {
  if (secret === undefined) return notice('warn', lost ?? '');
  return html`${notice('info', text)}${copyField(label, secret, 'secret')}`;
}

/** The host of a URL, as a short name for it. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** The way back from a page of one endpoint. */
export const backToEndpoint = ({ id, url }: Pick<Endpoint, 'id' | 'url'>) => ({
  href: endpointPath(id),
  label: hostOf(url),
});

/** What switching off, switching on and removing are called, of an endpoint as of an automation. */
export const switchTexts = {
  offTitle: (name: string) => `Switch off ${name}`,
  offButton: 'Switch it off',
  onTitle: (name: string) => `Switch on ${name}`,
  onButton: 'Switch it on',
  removeTitle: (name: string) => `Remove ${name}`,
  working: 'Working…',
} as const;
