import { button } from '../../components/button.ts';
import { select } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { codeSample } from '../../components/parts.ts';
import { html } from '../../html.ts';
import { type FormState, form, typedIn } from '../frame/forms.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { scopeChoices } from './keys-page.ts';
import { integrationTabs, integrationTitles, keysPath, mcpPath } from './parts.ts';

const texts = {
  about:
    'An AI client that speaks MCP (Model Context Protocol) reads your sales and works in your shop, as far as its key lets it. Choose the client, and its configuration is made with a key of its own.',
  client: 'Client',
  make: 'Make the configuration',
  making: 'Making…',
  madeTitle: (client: string) => `Connect ${client}`,
  once: 'The key in it is shown this once. Later you can revoke or replace it among the API keys.',
  keys: 'API keys',
  other: 'Make another one',
} as const;

interface Client {
  readonly id: string;
  readonly label: string;
  /** Where the configuration goes. */
  readonly advice: string;
  config(url: string, key: string): string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Claude Desktop starts a program for each server of its file: `mcp-remote` passes on what it says to one on the web. */
const desktop = (url: string, key: string): string =>
  json({
    mcpServers: {
      shop: {
        command: 'npx',
        args: ['-y', 'mcp-remote', url, '--header', `Authorization:\${AUTH_HEADER}`],
        env: { AUTH_HEADER: `Bearer ${key}` },
      },
    },
  });

const clients: readonly Client[] = [
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    advice:
      'Settings, Developer, Edit config: put it into claude_desktop_config.json, and start Claude Desktop again. It needs Node.js.',
    config: desktop,
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    advice: 'Run it in a terminal.',
    config: (url, key) => `claude mcp add --transport http shop ${url} --header "Authorization: Bearer ${key}"`,
  },
  {
    id: 'cursor',
    label: 'Cursor',
    advice: 'Put it into ~/.cursor/mcp.json.',
    config: (url, key) => json({ mcpServers: { shop: { url, headers: bearer(key) } } }),
  },
  {
    id: 'vs-code',
    label: 'VS Code',
    advice: 'Put it into .vscode/mcp.json, and keep that file out of version control.',
    config: (url, key) => json({ servers: { shop: { type: 'http', url, headers: bearer(key) } } }),
  },
  {
    id: 'other',
    label: 'Another one (streamable HTTP)',
    advice: 'Give the client this address and this header.',
    config: (url, key) => `${url}\nAuthorization: Bearer ${key}`,
  },
];

export function mcpPage(visit: Visit, state: FormState): DashboardPage {
  const content = html`${select({
    name: 'client',
    label: texts.client,
    value: typedIn(state, 'client'),
    options: clients.map(({ id, label }) => [id, label] as const),
  })}${scopeChoices(state)}`;
  const buttons = button({ label: texts.make, busyLabel: texts.making, kind: 'accent' });
  return {
    ...integrationTitles(mcpPath),
    main: html`${integrationTabs(mcpPath)}<p>${texts.about}</p>${form(visit, { content, state, buttons })}`,
  };
}

interface Made {
  readonly client: string;
  /** Undefined when a reload gets the first answer again. */
  readonly key: string | undefined;
  readonly notice: string | undefined;
  readonly baseUrl: string;
}

export function mcpMadePage({ client, key, notice: lost, baseUrl }: Made): DashboardPage {
  const chosen = clients.find(({ id }) => id === client) ?? (clients.at(-1) as Client);
  const shown =
    key === undefined
      ? notice('warn', lost ?? '')
      : html`${notice('info', texts.once)}<p>${chosen.advice}</p>${codeSample(chosen.label, chosen.config(`${baseUrl}/api/mcp`, key), 'configuration')}`;
  return {
    title: texts.madeTitle(chosen.label),
    back: { href: mcpPath, label: 'MCP' },
    main: html`${shown}<p class="small"><a href="${keysPath}">${texts.keys}</a> · <a href="${mcpPath}">${texts.other}</a></p>`,
    isSecret: true,
  };
}
