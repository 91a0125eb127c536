import { refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, refusedForm, wrongForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';
import { scopesIn } from './keys.ts';
import { mcpMadePage, mcpPage } from './mcp-page.ts';

/** GET of the page that connects an AI client. */
export function showMcp(visit: Visit): DashboardPage {
  const stored = new URLSearchParams({ client: 'claude-desktop', scopes: 'read' });
  return mcpPage(visit, freshForm(visit, stored));
}

/** POST that makes a key for the client, and shows its configuration with the key in it, this once. */
export async function takeMcp(visit: Visit): Promise<Answer> {
  const { form: sent, baseUrl } = visit.request;
  const scopes = scopesIn(sent);
  const client = sent.get('client') ?? '';
  const refused = (state: FormState) => refusedPage(mcpPage(visit, state));
  if (scopes.length === 0) return refused(wrongForm(visit, { scopes: 'Choose what the client may do.' }));
  const made = await visit.call('createApiKey', {
    body: { name: `MCP: ${client === '' ? 'client' : client.slice(0, 50)}`, scopes },
    idempotencyKey: formKey(visit),
  });
  if (made.ok) return mcpMadePage({ client, key: made.body.key, notice: made.body.secret_notice, baseUrl });
  return refused(refusedForm(visit, made.problem, { scopes: 'What it may do' }));
}
