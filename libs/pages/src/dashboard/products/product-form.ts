import { currency as currencyCode, limits } from '@app/contracts/common';
import type { CreateProductBody, ProductResource } from '@app/contracts/products';
import { field, select, textArea } from '../../components/field.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { readAmount } from '../frame/amounts.ts';
import { type FormState, typedIn } from '../frame/forms.ts';

const texts = {
  nameHint: 'Buyers see it on the checkout and on the receipt.',
  priceHint: (currency: string) => `In ${currency}. 0 is free of charge.`,
  draftPriceHint: 'As you write it: 149, 149.50 or 1,490. 0 is free of charge.',
  currencyHint: 'Three letters, like USD or EUR. It stays once the product is live.',
  draftCurrencyHint:
    'Three letters, like USD or EUR. It stays once the product is live. Prices of bumps and upsells keep their numbers.',
  billingHint: 'It stays once the product is live.',
  accessHint: 'Where buyers find what they bought. It is on the last page and on the receipt.',
  descriptionHint: 'A few lines of plain text on the checkout.',
  slugHint: 'The end of the link. Left empty, it is made of the name.',
  slugKept: 'The end of the link. Links that you shared before a change lead nowhere.',
} as const;

const billings = { once: 'Once', month: 'Every month', year: 'Every year' } as const;
type Billing = keyof typeof billings;

export const productLabels = {
  name: 'Name',
  priceCents: 'Price',
  currency: 'Currency',
  pricingType: 'Billing',
  billingInterval: 'Billing',
  description: 'Description',
  accessUrl: 'Access link',
  slug: 'Address',
} as const;

/** Fields of the form whose names are not the operation's. */
export const productFieldNames = { priceCents: 'price', pricingType: 'billing', billingInterval: 'billing' } as const;

/** What a product's form holds. */
export const storedProduct = (product: ProductResource, formats: Formats): Record<string, string> => ({
  name: product.name,
  price: formats.typedAmount(product.price_cents, product.currency),
  description: product.description ?? '',
  accessUrl: product.access_url ?? '',
  slug: product.slug,
  currency: product.currency,
  billing: product.billing_interval ?? 'once',
});

type Read<Fields> =
  | { readonly ok: true; readonly fields: Fields }
  /** Sentences by the name of the form's field. */
  | { readonly ok: false; readonly errors: Record<string, string> };

type ProductFields = Pick<CreateProductBody, 'name' | 'slug' | 'priceCents' | 'accessUrl' | 'description'>;

/** The fields that can be changed at any time. @param currency of the price */
export function readProduct(form: URLSearchParams, currency: string, formats: Formats): Read<ProductFields> {
  const typed = (name: string) => (form.get(name) ?? '').trim();
  const price = readAmount(typed('price'), currency, productLabels.priceCents, formats);
  if (!price.ok) return { ok: false, errors: { price: price.error } };
  const fields = {
    name: typed('name'),
    slug: typed('slug') === '' ? slugOf(typed('name')) : typed('slug'),
    priceCents: price.cents,
    accessUrl: typed('accessUrl') === '' ? null : typed('accessUrl'),
    description: typed('description') === '' ? null : typed('description'),
  };
  return { ok: true, fields };
}

/** The fields of a product that was never live: how it is sold is among them. */
export function readDraft(form: URLSearchParams, formats: Formats): Read<CreateProductBody> {
  const currency = currencyCode.safeParse((form.get('currency') ?? '').trim().toLowerCase());
  if (!currency.success) return { ok: false, errors: { currency: 'Currency is three letters, like USD or EUR.' } };
  const read = readProduct(form, currency.data, formats);
  if (!read.ok) return read;
  const interval = intervalOf(form);
  const billed = {
    currency: currency.data,
    pricingType: interval === null ? ('onetime' as const) : ('subscription' as const),
    billingInterval: interval,
  };
  return { ok: true, fields: Object.assign(read.fields, billed) };
}

/** How often what is sold is paid; null is once. */
export function intervalOf(form: URLSearchParams): 'month' | 'year' | null {
  const billing = form.get('billing');
  return billing === 'month' || billing === 'year' ? billing : null;
}

/** Letters without their accents, digits, and hyphens between; empty where a name has none of them. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, limits.slug)
    .replaceAll(/^-|-$/g, '');

/** @param product null for one that is being made */
export function productFields(state: FormState, product: Pick<ProductResource, 'currency' | 'status'> | null): Html {
  const isDraft = product === null || product.status === 'draft';
  const common = (name: string, label: string, hint: string) => ({
    name,
    label,
    hint,
    value: typedIn(state, name),
    error: state.errors[name],
  });
  const { name, priceCents, description, accessUrl, slug } = productLabels;
  const priceHint = isDraft ? texts.draftPriceHint : texts.priceHint(product.currency.toUpperCase());
  return html`${field(Object.assign(common('name', name, texts.nameHint), { isRequired: true, maxLength: limits.name }))}${field(
    Object.assign(common('price', priceCents, priceHint), {
      isRequired: true,
      keyboard: 'decimal' as const,
      maxLength: 40,
    }),
  )}${isDraft && draftFields(state, product === null ? texts.currencyHint : texts.draftCurrencyHint)}${textArea(
    Object.assign(common('description', description, texts.descriptionHint), { maxLength: limits.description }),
  )}${field(Object.assign(common('accessUrl', accessUrl, texts.accessHint), { keyboard: 'url' as const, maxLength: limits.url }))}${field(
    Object.assign(common('slug', slug, product === null ? texts.slugHint : texts.slugKept), { maxLength: limits.slug }),
  )}`;
}

function draftFields(state: FormState, currencyHint: string): Html {
  return html`${field({
    name: 'currency',
    label: productLabels.currency,
    hint: currencyHint,
    value: typedIn(state, 'currency').toUpperCase(),
    error: state.errors.currency,
    isRequired: true,
    maxLength: 3,
  })}${select({
    name: 'billing',
    label: productLabels.pricingType,
    hint: texts.billingHint,
    value: typedIn(state, 'billing'),
    error: state.errors.billing,
    options: Object.entries(billings) as [Billing, string][],
  })}`;
}
