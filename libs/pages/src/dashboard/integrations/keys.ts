import { type ApiKeyScope, apiKeyScope } from '@app/contracts/accounts';
import { nothingHere, onTo, refusedPage } from '../frame/answers.ts';
import { formKey, freshForm, refusedForm, unreadable } from '../frame/forms.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { keyMadePage, keyPage, keysPage, newKeyPage } from './keys-page.ts';
import { keysPath } from './parts.ts';

/** GET of the keys, newest first. */
export async function showKeys(visit: Visit): Promise<DashboardPage> {
  const keys = await visit.read('listApiKeys', { query: pageQuery(visit) });
  return keysPage({
    keys: keys.data,
    now: visit.request.now,
    formats: visit.formats,
    pager: listPager(visit, 'Keys', keys),
  });
}

/** GET of the form for another one; an address may say what it is for. */
export function showNewKey(visit: Visit): DashboardPage {
  const { query } = visit.request;
  const stored = new URLSearchParams({ name: query.get('name') ?? '' });
  for (const scope of query.getAll('scopes')) stored.append('scopes', scope);
  if (!stored.has('scopes')) stored.append('scopes', 'read');
  return newKeyPage(visit, freshForm(visit, stored));
}

/** What the form chose; an unknown one is none. */
export const scopesIn = (sent: URLSearchParams): ApiKeyScope[] =>
  sent.getAll('scopes').filter((scope): scope is ApiKeyScope => apiKeyScope.safeParse(scope).success);

export async function takeNewKey(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const scopes = scopesIn(sent);
  const faults = scopes.length === 0 ? [unreadable('scopes', 'Choose what the key may do.')] : [];
  const body = { name: sent.get('name') ?? '', scopes };
  const made = await visit.call('createApiKey', { body, faults, idempotencyKey: formKey(visit) });
  if (made.ok) return keyMadePage(made.body);
  const state = refusedForm(visit, made.problem, { name: 'Name', scopes: 'What it may do' });
  return refusedPage(newKeyPage(visit, state));
}

/** The list is short: the key is found in it. */
async function readKey(visit: Visit, id: string) {
  const { data } = await visit.read('listApiKeys', {});
  const key = data.find((each) => each.id === id);
  if (key === undefined) throw nothingHere(visit);
  return key;
}

/** GET of one key, with what ends or replaces it. */
export async function showKey(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return keyPage(visit, await readKey(visit, id), freshForm(visit));
}

export async function takeKey(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const { form: sent } = visit.request;
  const params = { keyId: id };
  if (sent.get('do') === 'revoke') {
    await visit.read('revokeApiKey', { params });
    return onTo(keysPath);
  }
  const body = { overlapHours: Number(sent.get('overlapHours') ?? 24) };
  const rotated = await visit.call('rotateApiKey', { params, body, idempotencyKey: formKey(visit) });
  if (rotated.ok) return keyMadePage(rotated.body);
  const state = refusedForm(visit, rotated.problem, { overlapHours: 'The overlap' });
  return refusedPage(keyPage(visit, await readKey(visit, id), state));
}
