import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Params, Visit } from '../frame/visit.ts';
import { automationPage } from './automation-page.ts';
import { drawEmail } from './automation-preview.ts';
import { automationsPage } from './automations-page.ts';
import { readLatest } from './latest-deliveries.ts';
import type { Automation } from './parts.ts';

const done: Readonly<Record<string, string>> = {
  made: 'The automation is made, and it is on.',
  saved: 'Saved.',
  on: 'It is on: what happens from now on starts it.',
  off: 'It is off. What waited to be sent is dropped.',
};

const listsMax = 100;

/** GET of the automations. */
export async function showAutomations(visit: Visit): Promise<DashboardPage> {
  const [automations, { emailVerified, emailFolder }] = await Promise.all([
    visit.read('listAutomations', { query: pageQuery(visit) }),
    visit.account(),
  ]);
  const isNarrowed = automations.data.some(({ product_id }) => product_id !== null);
  return automationsPage({
    automations: automations.data,
    isVerified: emailVerified,
    emailFolder,
    products: isNarrowed ? await readProducts(visit) : new Map(),
    pager: listPager(visit, 'Automations', automations, { first: 'First', next: 'More' }),
  });
}

/** Names of all products of the account, by their ids. */
export async function readProducts(visit: Visit): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let before: string | undefined;
  do {
    const query = Object.assign({ limit: listsMax }, before !== undefined && { before });
    const { data, has_more } = await visit.read('listProducts', { query });
    for (const { id, name } of data) names.set(id, name);
    before = has_more === true ? data.at(-1)?.id : undefined;
  } while (before !== undefined);
  return names;
}

export const readAutomation = (visit: Visit, id: string): Promise<Automation> =>
  visit.read('getAutomation', { params: { automationId: id } });

/** GET of one automation. */
export async function showAutomation(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const [automation, deliveries] = await Promise.all([readAutomation(visit, id), readLatest(visit, id)]);
  const { event, action, product_id: productId } = automation;
  const [drawn, product] = await Promise.all([
    action.type === 'email' ? drawEmail(visit, event, action) : null,
    productId === null ? null : visit.read('getProduct', { params: { productId } }),
  ]);
  return automationPage({
    automation,
    product: product?.name ?? null,
    deliveries,
    drawn,
    done: done[visit.request.query.get('done') ?? ''] ?? null,
    formats: visit.formats,
  });
}
