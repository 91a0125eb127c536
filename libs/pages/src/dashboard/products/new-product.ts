import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { html } from '../../html.ts';
import { onTo } from '../frame/answers.ts';
import { type FormState, type FormVisit, form, formKey, freshForm, unreadable } from '../frame/forms.ts';
import { pictureFault, pictureField, pictureScripts } from '../frame/picture.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';
import { refusedProductForm } from './parts.ts';
import { pictureTexts } from './picture.ts';
import { previewFrame, withPreview } from './preview-frame.ts';
import { productFieldNames, productFields, productLabels, readDraft } from './product-form.ts';

const texts = {
  title: 'New product',
  back: 'Products',
  product: 'Product',
  make: 'Make the product',
  making: 'Making…',
} as const;

export async function showNewProduct(visit: Visit): Promise<DashboardPage> {
  const { defaultCurrency } = await visit.account();
  return newProductPage(visit, freshForm(visit, { currency: defaultCurrency, billing: 'once', listed: 'on' }));
}

/** It begins as a draft, which leads on to its funnel. A picture that is none leaves the product without one, and its page says so. */
export async function takeNewProduct(visit: Visit): Promise<Answer> {
  const { fields, faults } = readDraft(visit.request.form, visit.formats);
  const data = visit.request.files.get('picture');
  const fault = pictureFault(data);
  const made = await visit.call('createProduct', {
    body: fields,
    faults: fault === null ? faults : [...faults, unreadable('picture', fault)],
    idempotencyKey: formKey(visit, fields.slug, String(fields.priceCents)),
  });
  if (!made.ok)
    return newProductPage(visit, refusedProductForm(visit, made.problem, productLabels, productFieldNames), 422);
  const { id: productId } = made.body;
  const put =
    data === undefined ? null : await visit.call('putProductImage', { params: { productId }, body: { data } });
  return onTo(`/app/products/${productId}?done=${put === null || put.ok ? 'made' : 'made-without-picture'}`);
}

export function newProductPage(visit: FormVisit, state: FormState, status = 200): DashboardPage {
  const { product, pricing, delivery, appearance } = productFields(state, null);
  const fields = form(visit, {
    id: 'edited',
    state,
    hasFiles: true,
    content: html`${product}${pricing}${delivery}${appearance}${pictureField(pictureTexts, state, false)}`,
    buttons: button({ label: texts.make, busyLabel: texts.making, kind: 'accent' }),
  });
  const page = withPreview({
    status,
    title: texts.title,
    back: { href: '/app/products', label: texts.back },
    main: html`<div class="two-columns">${card(texts.product, fields)}${previewFrame('/app/products/new/preview')}</div>`,
  });
  return Object.assign({}, page, { scripts: [...(page.scripts ?? []), ...pictureScripts] });
}
