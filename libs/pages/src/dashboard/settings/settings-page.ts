import { notice } from '../../components/notice.ts';
import { tabs } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import type { DashboardPage } from '../frame/visit.ts';

const texts = { title: 'Settings', saved: 'Saved.', sent: 'The email is on its way.' } as const;

const parts = {
  '/app/settings': 'Business',
  '/app/settings/pages': 'Checkout pages',
  '/app/settings/selling': 'Selling',
  '/app/settings/portal': 'Buyers’ portal',
  '/app/settings/payments': 'Payments',
  '/app/settings/account': 'Your login',
  '/app/settings/security': 'Security',
  '/app/settings/audit-log': 'Audit log',
  '/app/settings/test-mode': 'Test mode',
} as const;

/** What belongs to the integrations, and is sought here as well. */
const elsewhere = {
  '/app/integrations/automations': 'Emails',
  '/app/integrations/keys': 'API keys',
} as const;

export type SettingsPath = keyof typeof parts;
export const securityPath = '/app/settings/security' satisfies SettingsPath;
export const auditLogPath = '/app/settings/audit-log' satisfies SettingsPath;

/** A page of the settings. @param said above its content, after something was done */
export function settingsPage(path: SettingsPath, main: Html, said: string | null): DashboardPage {
  const all = Object.entries(Object.assign({}, parts, elsewhere)).map(([href, label]) => ({
    label,
    href,
    isOpen: href === path,
  }));
  return {
    title: texts.title,
    part: parts[path],
    main: html`${tabs(texts.title, all)}${said !== null && notice('good', said)}${main}`,
  };
}

export const savedText = (query: URLSearchParams): string | null =>
  query.has('saved') ? texts.saved : query.has('sent') ? texts.sent : null;
