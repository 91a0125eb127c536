import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { html } from '../../html.ts';
import { onTo } from '../frame/answers.ts';
import { type FormState, type FormVisit, form, formKey, freshForm, wrongForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';
import { refused } from './parts.ts';
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
  return newProductPage(visit, freshForm(visit, { currency: defaultCurrency, billing: 'once' }));
}

/** It begins as a draft, which leads on to its funnel. */
export async function takeNewProduct(visit: Visit): Promise<Answer> {
  const read = readDraft(visit.request.form, visit.formats);
  if (!read.ok) return newProductPage(visit, wrongForm(visit, read.errors), 422);
  const made = await visit.call('createProduct', {
    body: read.fields,
    idempotencyKey: formKey(visit, read.fields.slug, String(read.fields.priceCents)),
  });
  if (made.ok) return onTo(`/app/products/${made.body.id}?done=made`);
  return newProductPage(visit, refused(visit, made.problem, productLabels, productFieldNames), 422);
}

export function newProductPage(visit: FormVisit, state: FormState, status = 200): DashboardPage {
  const fields = form(visit, {
    id: 'edited',
    state,
    content: productFields(state, null),
    buttons: button({ label: texts.make, busyLabel: texts.making, kind: 'accent' }),
  });
  return withPreview({
    status,
    title: texts.title,
    back: { href: '/app/products', label: texts.back },
    main: html`<div class="two-columns">${card(texts.product, fields)}${previewFrame('/app/products/new/preview')}</div>`,
  });
}
