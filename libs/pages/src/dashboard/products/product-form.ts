import { currency as currencyCode, limits } from '@app/contracts/common';
import { currenciesInUse } from '@app/contracts/currencies';
import type { FieldError } from '@app/contracts/errors';
import type { CreateProductBody, ProductResource } from '@app/contracts/products';
import { checkbox } from '../../components/choice.ts';
import { field, select, textArea } from '../../components/field.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { readAmount } from '../frame/amounts.ts';
import { type FormState, typedField, unreadable } from '../frame/forms.ts';
import { linkIn } from './parts.ts';

const texts = {
  nameHint: 'Buyers see it on the checkout and on the receipt.',
  priceHint: (currency: string) => `In ${currency}. 0 is free of charge.`,
  draftPriceHint: 'As you write it: 149, 149.50 or 1,490. 0 is free of charge.',
  currencyHint: 'You cannot change it once the product is live.',
  draftCurrencyHint: 'You cannot change it once the product is live. Prices of bumps and upsells keep their numbers.',
  billingHint: 'You cannot change it once the product is live.',
  kept: (interval: 'month' | 'year' | null) =>
    `Buyers pay ${interval === null ? 'once' : `every ${interval}`}. Billing and currency stay as they were when the product was made live.`,
  accessHint: 'Where buyers find what they bought. It is on the last page and on the receipt.',
  descriptionHint: 'A few lines of plain text on the checkout.',
  slugHint: 'The end of the link. Left empty, it is made of the name.',
  listed: 'Show on the shop page',
  listedHint: 'Off: only buyers who have the link find it.',
  slugKept: 'The end of the link. If you change it, links you shared before still lead here.',
} as const;

const billings = { once: 'Once', month: 'Every month', year: 'Every year' } as const;
type Billing = keyof typeof billings;

/** In the order of the page. */
export const productLabels = {
  name: 'Name',
  description: 'Description',
  priceCents: 'Price',
  currency: 'Currency',
  pricingType: 'Billing',
  billingInterval: 'Billing',
  accessUrl: 'Access link',
  slug: 'Address',
  picture: 'Picture',
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
  ...(product.listed ? { listed: 'on' } : {}),
  currency: product.currency,
  billing: product.billing_interval ?? 'once',
});

/** What an operation takes, and what of it could not be read. */
interface Read<Fields> {
  readonly fields: Fields;
  readonly faults: readonly FieldError[];
}

type ProductFields = Pick<CreateProductBody, 'name' | 'slug' | 'priceCents' | 'accessUrl' | 'description' | 'listed'>;

/** The fields that can be changed at any time. @param currency of the price */
export function readProduct(form: URLSearchParams, currency: string, formats: Formats): Read<ProductFields> {
  const typed = (name: string) => (form.get(name) ?? '').trim();
  const price = readAmount(typed('price'), currency, productLabels.priceCents, formats);
  const fields = {
    name: typed('name'),
    slug: typed('slug') === '' ? slugOf(typed('name')) : typed('slug'),
    priceCents: price.ok ? price.cents : Number.NaN,
    accessUrl: linkIn(typed('accessUrl')),
    description: typed('description') === '' ? null : typed('description'),
    listed: form.has('listed'),
  };
  return { fields, faults: price.ok ? [] : [unreadable('priceCents', price.error)] };
}

/** The fields of a product that was never live: how it is sold is among them. */
export function readDraft(form: URLSearchParams, formats: Formats): Read<CreateProductBody> {
  const { data: currency } = currencyCode.safeParse((form.get('currency') ?? '').trim().toLowerCase());
  const { fields, faults } = readProduct(form, currency ?? anyCurrency, formats);
  const interval = intervalOf(form);
  const billed = {
    currency: currency ?? '',
    pricingType: interval === null ? ('onetime' as const) : ('subscription' as const),
    billingInterval: interval,
  };
  const noCurrency = unreadable('currency', 'Currency is three letters, like USD or EUR.');
  return { fields: Object.assign(fields, billed), faults: currency === undefined ? [...faults, noCurrency] : faults };
}

/** Whether a price is a number is seen without a currency of its own. */
const anyCurrency = 'usd';

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

/** The cards of a product's form, in their order. */
type ProductCard = 'product' | 'pricing' | 'delivery' | 'appearance';

/** The fields by the card in which they are edited. @param product null for one that is being made */
export function productFields(
  state: FormState,
  product: Pick<ProductResource, 'currency' | 'status' | 'billing_interval'> | null,
): Readonly<Record<ProductCard, Html>> {
  const isDraft = product === null || product.status === 'draft';
  const common = (name: string, label: string, hint: string) => Object.assign(typedField(state, name), { label, hint });
  const { name, priceCents, description, accessUrl, slug } = productLabels;
  const priceHint = isDraft ? texts.draftPriceHint : texts.priceHint(product.currency.toUpperCase());
  const price = field(
    Object.assign(common('price', priceCents, priceHint), {
      isRequired: true,
      keyboard: 'decimal' as const,
      maxLength: 40,
    }),
  );
  return {
    product: html`${field(Object.assign(common('name', name, texts.nameHint), { isRequired: true, maxLength: limits.name }))}${textArea(
      Object.assign(common('description', description, texts.descriptionHint), { maxLength: limits.description }),
    )}`,
    pricing: html`${price}${
      isDraft
        ? draftFields(common, product === null ? texts.currencyHint : texts.draftCurrencyHint)
        : html`<p class="small quiet">${texts.kept(product.billing_interval)}</p>`
    }`,
    delivery: field(
      Object.assign(common('accessUrl', accessUrl, texts.accessHint), {
        keyboard: 'url' as const,
        maxLength: limits.url,
      }),
    ),
    appearance: html`${field(
      Object.assign(common('slug', slug, product === null ? texts.slugHint : texts.slugKept), {
        maxLength: limits.slug,
      }),
    )}${checkbox({ name: 'listed', label: texts.listed, hint: texts.listedHint, isChecked: state.values.has('listed') })}`,
  };
}

const currencyNames = new Intl.DisplayNames('en', { type: 'currency' });
const currencyOption = (code: string) =>
  [code, `${code.toUpperCase()} · ${currencyNames.of(code.toUpperCase())}`] as const;
const ofProducts = [...currenciesInUse].toSorted().map(currencyOption);

/** Of a draft whose currency has gone out of use since it is offered too. */
const currencyOptions = (chosen: string) =>
  chosen === '' || currenciesInUse.has(chosen) ? ofProducts : [currencyOption(chosen), ...ofProducts];

type Common = (name: string, label: string, hint: string) => Parameters<typeof textArea>[0];

function draftFields(common: Common, currencyHint: string): Html {
  const currency = common('currency', productLabels.currency, currencyHint);
  const chosen = currency.value.toLowerCase();
  const options = currencyOptions(chosen);
  return html`${select(Object.assign(currency, { value: chosen, isRequired: true, options }))}${select(
    Object.assign(common('billing', productLabels.pricingType, texts.billingHint), {
      options: Object.entries(billings) as [Billing, string][],
    }),
  )}`;
}
