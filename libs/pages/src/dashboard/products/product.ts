import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, versionOf } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { sectionAt } from './funnel-sections.ts';
import { refusedProductForm } from './parts.ts';
import { productFieldNames, productLabels, readDraft, readProduct, storedProduct } from './product-form.ts';
import { type Funnel, productPage } from './product-page.ts';

/** GET of a product with its funnel. */
export async function showProduct(visit: Visit, { productId = '' }: Params): Promise<DashboardPage> {
  const { product, funnel } = await readFunnel(visit, productId);
  return productPageOf(visit, { product, funnel }, freshForm(visit, storedProduct(product, visit.formats)));
}

interface Shown {
  readonly product: Awaited<ReturnType<typeof readFunnel>>['product'];
  readonly funnel: Funnel;
}

function productPageOf(
  visit: Visit,
  { product, funnel }: Shown,
  state: FormState,
  problem: string | null = null,
  asksForAccess = false,
): DashboardPage {
  const { query } = visit.request;
  return productPage({ visit, product, funnel, state, problem, asksForAccess, done: query, formats: visit.formats });
}

async function readFunnel(visit: Visit, productId: string) {
  const params = { productId };
  const [product, { bumps, upsells, emails }, discounts] = await Promise.all([
    visit.read('getProduct', { params }),
    visit.read('getFunnel', { params }),
    visit.read('listDiscounts', { params }),
  ]);
  return { product, funnel: { bumps, upsells, emails, discounts: discounts.data } };
}

/** What the page's buttons do. */
export async function takeProduct(visit: Visit, params: Params): Promise<Answer> {
  const { productId = '' } = params;
  switch (visit.request.form.get('do')) {
    case 'live':
      return await makeLive(visit, productId);
    case 'live-without-access':
      return await setStatus(visit, productId, 'live');
    case 'archive':
      return await setStatus(visit, productId, 'archived');
    case 'push':
      return await pushEmails(visit, productId);
    default:
      return await saveProduct(visit, productId);
  }
}

async function saveProduct(visit: Visit, productId: string): Promise<Answer> {
  const shown = await readFunnel(visit, productId);
  const { fields, faults } = readChanges(visit, shown.product);
  const saved = await visit.call('updateProduct', {
    params: { productId },
    body: fields,
    faults,
    ifVersion: versionOf(visit),
    idempotencyKey: formKey(visit),
  });
  if (saved.ok) return onTo(`${visit.path}?done=saved`);
  const state = refusedProductForm(visit, saved.problem, productLabels, productFieldNames);
  return refusedPage(productPageOf(visit, shown, state));
}

function readChanges({ request: { form }, formats }: Visit, { status, currency }: Shown['product']) {
  if (status !== 'draft') return readProduct(form, currency, formats);
  const read = readDraft(form, formats);
  if (read.fields.currency !== currency) return read;
  // One that has gone out of use since can be kept, and not be chosen.
  const { currency: _, ...fields } = read.fields;
  return { fields, faults: read.faults };
}

/** Buyers of a product without an access link get a receipt and nothing to open: the seller may want that, and says so. */
async function makeLive(visit: Visit, productId: string): Promise<Answer> {
  const shown = await readFunnel(visit, productId);
  if (shown.product.access_url !== null) return await setStatus(visit, productId, 'live');
  const state = freshForm({ typed: null }, storedProduct(shown.product, visit.formats));
  return refusedPage(productPageOf(visit, shown, state, null, true));
}

async function setStatus(visit: Visit, productId: string, status: 'live' | 'archived'): Promise<Answer> {
  const params = { productId };
  const changed = await visit.call('updateProduct', { params, body: { status } });
  return changed.ok ? onTo(`${visit.path}?done=${status}`) : await notDone(visit, productId, changed.problem.detail);
}

/** Hands the emails to the seller's tool; the next page says how many. */
async function pushEmails(visit: Visit, productId: string): Promise<Answer> {
  const params = { productId };
  const pushed = await visit.call('pushFunnelEmails', { params, idempotencyKey: formKey(visit, 'push') });
  return pushed.ok
    ? onTo(sectionAt(productId, 'emails', `pushed&sent=${pushed.body.sent}`))
    : await notDone(visit, productId, pushed.problem.detail);
}

async function notDone(visit: Visit, productId: string, problem: string): Promise<DashboardPage> {
  const shown = await readFunnel(visit, productId);
  const state = freshForm({ typed: null }, storedProduct(shown.product, visit.formats));
  return refusedPage(productPageOf(visit, shown, state, problem));
}
