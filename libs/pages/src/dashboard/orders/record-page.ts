import { button } from '../../components/button.ts';
import { choices } from '../../components/choice.ts';
import { field, select } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, typedIn } from '../frame/forms.ts';
import type { Body, DashboardPage, Visit } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';

export const recordLabels = {
  email: 'Email of the buyer',
  name: 'Name of the buyer',
  country: 'Country',
  discountCode: 'Discount code',
  affiliateCode: 'Affiliate code',
  paymentMethod: 'Card token',
} as const;

const texts = {
  title: 'Record an order',
  back: 'Orders',
  what: 'It charges nothing: it records a sale whose money you took elsewhere. The buyer gets the emails of the product, and your webhooks get order.paid.',
  product: 'Product',
  choose: 'Choose',
  otherProduct: 'Choose another product',
  none: 'There is no live product. Only live products are sold.',
  products: 'Open your products',
  countryHint: 'Two letters, like GB.',
  tokenHint: 'Of the payment processor: renewals are charged to it. Without one you collect them yourself.',
  bumps: 'Order bumps',
  kind: 'Kind',
  test: 'A test order',
  testHint: 'It is in no list of live orders and in no number. Webhooks get it, marked as a test.',
  record: 'Record the order',
  recording: 'Recording…',
} as const;

const back = { href: ordersPath, label: texts.back };

type Product = Body<'listProducts'>['data'][number];

export function chooseProductPage(products: readonly Pick<Product, 'name' | 'slug'>[]): DashboardPage {
  if (products.length === 0)
    return {
      title: texts.title,
      back,
      main: emptyState(texts.none, html`<p><a href="/app/products">${texts.products}</a></p>`),
    };
  const input = select({
    name: 'product',
    label: texts.product,
    value: '',
    options: products.map(({ name, slug }) => [slug, name]),
  });
  return {
    title: texts.title,
    back,
    main: html`<form class="stack form" action="${ordersPath}/new">${input}<div class="buttons">${button({
      label: texts.choose,
      kind: 'accent',
    })}</div></form>`,
  };
}

interface RecordContent {
  readonly product: Pick<Product, 'name' | 'slug' | 'currency' | 'price_cents' | 'pricing_type'>;
  readonly bumps: readonly Pick<Body<'getFunnel'>['bumps'][number], 'id' | 'headline' | 'price_cents'>[];
  /** Whether another product could be sold. */
  readonly hasOthers: boolean;
}

export function recordPage(visit: Visit, content: RecordContent, state: FormState): DashboardPage {
  const { product, hasOthers } = content;
  const price = money(visit.formats.amount(product.price_cents, product.currency));
  const other = hasOthers && html` <a class="small" href="${ordersPath}/new">${texts.otherProduct}</a>`;
  return {
    title: texts.title,
    back,
    about: html`<p><bdi>${product.name}</bdi> ${price}${other}</p>`,
    main: html`${notice('info', texts.what)}${form(visit, {
      state,
      content: fields(visit, content, state),
      buttons: button({ label: texts.record, busyLabel: texts.recording, kind: 'accent' }),
    })}`,
  };
}

function fields(visit: Visit, { product, bumps }: RecordContent, state: FormState): Html {
  const line = (
    name: keyof typeof recordLabels,
    maxLength: number,
    more: { hint?: string; autocomplete?: string } = {},
  ) =>
    field({
      name,
      label: recordLabels[name],
      type: name === 'email' ? 'email' : 'text',
      value: typedIn(state, name),
      error: state.errors[name],
      isRequired: name === 'email',
      autocomplete: more.autocomplete ?? 'off',
      hint: more.hint,
      maxLength,
    });
  const isSubscription = product.pricing_type === 'subscription';
  return html`<input type="hidden" name="productSlug" value="${product.slug}">${line('email', 254)}${line('name', 200)}${
    bumps.length > 0 && bumpChoices(visit, { product, bumps }, state)
  }${line('discountCode', 50)}${line('affiliateCode', 64)}${line('country', 2, { hint: texts.countryHint })}${
    isSubscription && line('paymentMethod', 255, { hint: texts.tokenHint })
  }${choices({
    legend: texts.kind,
    name: 'test',
    kind: 'checkbox',
    choices: [{ value: '1', label: texts.test, hint: texts.testHint, isChosen: state.values.has('test') }],
  })}`;
}

const bumpChoices = (
  { formats }: Visit,
  { product, bumps }: Pick<RecordContent, 'product' | 'bumps'>,
  { values }: FormState,
): Html =>
  choices({
    legend: texts.bumps,
    name: 'bumpIds',
    kind: 'checkbox',
    choices: bumps.map(({ id, headline, price_cents }) => ({
      value: id,
      label: headline,
      end: money(formats.amount(price_cents, product.currency)),
      isChosen: values.getAll('bumpIds').includes(id),
    })),
  });
