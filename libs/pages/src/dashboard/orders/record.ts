import type { CreateOrderBody } from '@app/contracts/orders';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, Body, DashboardPage, Visit } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';
import { chooseProductPage, recordLabels, recordPage } from './record-page.ts';

type Product = Body<'listProducts'>['data'][number];

/** GET of the form for an order that was paid elsewhere. Its product is in the address, because its bumps depend on it. */
export const showNewOrder = (visit: Visit): Promise<DashboardPage> => recordPageOf(visit, freshForm(visit));

export async function takeNewOrder(visit: Visit): Promise<Answer> {
  const created = await visit.call('createOrder', { body: bodyOf(visit.request.form), idempotencyKey: formKey(visit) });
  if (created.ok) return onTo(`${ordersPath}/${created.body.orderId}`);
  const page = await recordPageOf(visit, refusedForm(visit, created.problem, recordLabels));
  return refusedPage(page);
}

async function recordPageOf(visit: Visit, state: FormState): Promise<DashboardPage> {
  const { query, form } = visit.request;
  const products = (await visit.read('listProducts', { query: {} })).data.filter(({ status }) => status === 'live');
  const slug = query.get('product') ?? form.get('productSlug');
  const product = products.find((each) => each.slug === slug) ?? onlyOne(products);
  if (product === undefined) return chooseProductPage(products);
  const { bumps } = await visit.read('getFunnel', { params: { productId: product.id } });
  const offered = bumps.filter(({ active }) => active === 1);
  return recordPage(visit, { product, bumps: offered, hasOthers: products.length > 1 }, state);
}

const onlyOne = (products: readonly Product[]): Product | undefined =>
  products.length === 1 ? products[0] : undefined;

/** A field that is left empty is not given. */
function bodyOf(sent: URLSearchParams): CreateOrderBody {
  const body: Record<string, unknown> = { productSlug: sent.get('productSlug') ?? '', email: sent.get('email') ?? '' };
  for (const name of ['name', 'country', 'discountCode', 'affiliateCode', 'paymentMethod']) {
    const value = sent.get(name)?.trim() ?? '';
    if (value !== '') body[name] = value;
  }
  const bumpIds = sent.getAll('bumpIds');
  if (bumpIds.length > 0) body.bumpIds = bumpIds;
  if (sent.has('test')) body.test = true;
  return body as CreateOrderBody;
}
