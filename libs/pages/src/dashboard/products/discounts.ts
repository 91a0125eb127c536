import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { html } from '../../html.ts';
import { nothingHere, onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, type FormVisit, form, formKey, freshForm, versionOf } from '../frame/forms.ts';
import { removeCard } from '../frame/removal.ts';
import type { Answer, DashboardPage, Pages, Params, Visit } from '../frame/visit.ts';
import {
  type Discount,
  discountFields,
  discountLabels,
  discountNames,
  readDiscount,
  storedDiscount,
} from './discount-form.ts';
import { sectionAt } from './funnel-sections.ts';
import { refusedProductForm } from './parts.ts';

const texts = {
  added: 'New discount code',
  code: 'Code',
  add: 'Add the code',
  adding: 'Adding…',
  save: 'Save',
  saving: 'Saving…',
  remove: 'Remove the code',
  removeText: 'Buyers can no longer use it. Earlier orders and subscriptions keep their discount.',
} as const;

export const discountPages: Pages = {
  '/app/products/:productId/discounts/new': { show: showNew, take: takeNew },
  '/app/products/:productId/discounts/:discountId': { show: showOne, take: takeOne },
};

async function showNew(visit: Visit, { productId = '' }: Params): Promise<DashboardPage> {
  const product = await visit.read('getProduct', { params: { productId } });
  return discountPage({ visit, product, discount: null, state: freshForm(visit) });
}

async function takeNew(visit: Visit, { productId = '' }: Params): Promise<Answer> {
  const product = await visit.read('getProduct', { params: { productId } });
  const again = (state: FormState) => refusedPage(discountPage({ visit, product, discount: null, state }));
  const { form: sent } = visit.request;
  const { fields, faults } = readDiscount(sent, { currency: product.currency, formats: visit.formats, stored: null });
  const body = Object.assign({ code: (sent.get('code') ?? '').trim() }, fields);
  const idempotencyKey = formKey(visit, body.code);
  const made = await visit.call('createDiscount', { params: { productId }, body, faults, idempotencyKey });
  if (!made.ok) return again(refusedProductForm(visit, made.problem, discountLabels, discountNames));
  return onTo(sectionAt(productId, 'discounts', 'added'));
}

async function showOne(visit: Visit, params: Params): Promise<DashboardPage> {
  const { product, discount } = await requireDiscount(visit, params);
  const stored = storedDiscount(discount, product.currency, visit.formats);
  return discountPage({ visit, product, discount, state: freshForm(visit, stored) });
}

/** The code alone stays: links and advertisements name it. */
async function takeOne(visit: Visit, params: Params): Promise<Answer> {
  const { product, discount } = await requireDiscount(visit, params);
  const { form: sent } = visit.request;
  const of = { productId: product.id, discountId: discount.id };
  if (sent.get('do') === 'remove') {
    await visit.read('deleteDiscount', { params: of, idempotencyKey: formKey(visit, 'remove') });
    return onTo(sectionAt(product.id, 'discounts', 'removed'));
  }
  const again = (state: FormState) => refusedPage(discountPage({ visit, product, discount, state }));
  const options = { currency: product.currency, formats: visit.formats, stored: discount };
  const { fields: body, faults } = readDiscount(sent, options);
  const idempotencyKey = formKey(visit, JSON.stringify(body));
  const saved = await visit.call('updateDiscount', {
    params: of,
    body,
    faults,
    ifVersion: versionOf(visit),
    idempotencyKey,
  });
  if (!saved.ok) return again(refusedProductForm(visit, saved.problem, discountLabels, discountNames));
  return onTo(sectionAt(product.id, 'discounts', 'saved'));
}

async function requireDiscount(visit: Visit, { productId = '', discountId }: Params) {
  const params = { productId };
  const [product, discounts] = await Promise.all([
    visit.read('getProduct', { params }),
    visit.read('listDiscounts', { params }),
  ]);
  const discount = discounts.data.find(({ id }) => id === discountId);
  if (discount === undefined) throw nothingHere(visit);
  return { product, discount };
}

interface DiscountContent {
  readonly visit: FormVisit;
  readonly product: { readonly id: string; readonly name: string; readonly currency: string };
  /** Null for one that is being made. */
  readonly discount: Pick<Discount, 'code' | 'version'> | null;
  readonly state: FormState;
}

export function discountPage({ visit, product, discount, state }: DiscountContent): DashboardPage {
  const fields = form(visit, {
    state,
    version: discount?.version,
    content: discountFields(state, product.currency, discount === null),
    buttons: button({
      label: discount === null ? texts.add : texts.save,
      busyLabel: discount === null ? texts.adding : texts.saving,
      kind: 'accent',
    }),
  });
  return {
    title: discount === null ? texts.added : discount.code,
    back: { href: `/app/products/${product.id}`, label: product.name },
    main: html`${card(texts.code, fields)}${
      discount !== null && removeCard(visit, { label: texts.remove, text: texts.removeText })
    }`,
  };
}
