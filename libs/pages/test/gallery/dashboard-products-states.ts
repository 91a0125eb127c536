import { discountPage } from '../../src/dashboard/products/discounts.ts';
import { emailPage } from '../../src/dashboard/products/emails.ts';
import { newProductPage } from '../../src/dashboard/products/new-product.ts';
import { offerPage } from '../../src/dashboard/products/offers.ts';
import { picturePage } from '../../src/dashboard/products/picture.ts';
import { storedProduct } from '../../src/dashboard/products/product-form.ts';
import { productPage } from '../../src/dashboard/products/product-page.ts';
import { productsPage } from '../../src/dashboard/products/products-page.ts';
import { formatsFor } from '../../src/formats.ts';
import { type Html, html } from '../../src/html.ts';
import { emptyFunnel, funnel, product, productId, productOf } from './dashboard-products-samples.ts';
import { inFrame, stateOf, visitAt } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const formats = formatsFor('en-US');
const german = formatsFor('de-DE');
const at = `/app/products/${productId}`;
const visit = visitAt(at);
const long = productOf({ name: longName, slug: 'w'.repeat(80), price_cents: 9_999_999_999, status: 'archived' });
const monthly = productOf({
  name: arabicName,
  pricing_type: 'subscription',
  billing_interval: 'month',
  status: 'draft',
  currency: 'kwd',
  price_cents: 12_345,
});

/** Pages of products in every state. */
export const productsStates: Readonly<Record<string, () => Html>> = {
  products: () =>
    inFrame(
      '/app/products',
      productsPage({
        products: [Object.assign({}, product, { image_url: '/picture.svg' }), monthly, long],
        sold: new Map([[product.id, { orders: 83, revenueCents: 1_234_500 }]]),
        formats,
        pager: html``,
      }),
    ),
  'products-empty': () => inFrame('/app/products', productsPage({ products: [], sold: null, formats, pager: html`` })),
  'product-new': () =>
    inFrame('/app/products/new', newProductPage(visit, stateOf({ currency: 'usd', billing: 'once' }))),
  'product-new-refused': () =>
    inFrame(
      '/app/products/new',
      newProductPage(
        visit,
        stateOf(
          { name: longName, price: '1.490', currency: 'usd', billing: 'month', slug: 'course' },
          {
            price: 'Price can be read in two ways: type 1490 or 1.49.',
            slug: 'Another product of yours has this address: type another.',
          },
          { price: 'Price', slug: 'Address' },
        ),
      ),
    ),
  product: () => {
    const done = new URLSearchParams({ done: 'live' });
    const state = stateOf(storedProduct(product, formats));
    return inFrame(at, productPage({ visit, product, funnel, state, problem: null, done, formats }));
  },
  'product-refused': () => {
    const draft = productOf({ status: 'draft', image_url: '/picture.svg' });
    const typed = { ...storedProduct(draft, formats), accessUrl: 'nowhere', slug: 'course' };
    const errors = {
      accessUrl: 'Start the link with https://, like https://site.com/course.',
      slug: 'Another product of yours has this address: type another.',
    };
    const state = stateOf(typed, errors, { accessUrl: 'Access link', slug: 'Address' });
    const refused = { visit, product: draft, funnel, state, problem: null, done: new URLSearchParams(), formats };
    return inFrame(at, productPage(refused));
  },
  'product-draft-right-to-left': () => {
    const done = new URLSearchParams({ done: 'pushed', sent: '0' });
    const state = stateOf(storedProduct(monthly, german));
    const content = { visit, product: monthly, funnel: emptyFunnel, state, problem: null, done, formats: german };
    return inFrame(at, productPage(content));
  },
  'product-without-access': () => {
    const without = productOf({ access_url: null, status: 'draft' });
    const state = stateOf(storedProduct(without, formats));
    const content = { visit, product: without, funnel, state, problem: null, asksForAccess: true, formats };
    return inFrame(at, productPage({ ...content, done: new URLSearchParams() }));
  },
  bump: () => {
    const state = stateOf(
      { headline: longName, price: '19', active: '1' },
      { price: 'Price must be a number, like 149.' },
    );
    return inFrame(
      at,
      offerPage({ visit, kind: 'bump', product, offer: { id: 'bmp_1', version: 1, image_url: '/picture.svg' }, state }),
    );
  },
  'upsell-new': () => {
    const state = stateOf(
      { headline: arabicName, price: '19', earlierPrice: '9', active: '1' },
      { earlierPrice: 'Earlier price must be above the price, or empty.' },
    );
    return inFrame(at, offerPage({ visit, kind: 'upsell', product, offer: null, state }));
  },
  'funnel-email': () => {
    const state = stateOf(
      { subject: longName, body: 'Hello', sendDay: 'x', position: '1' },
      { sendDay: 'Day must be a whole number, like 3.' },
    );
    return inFrame(at, emailPage({ visit, product: long, email: { version: 1 }, state }));
  },
  'discount-new': () => {
    const state = stateOf({ code: 'W'.repeat(50), off: '' }, { off: 'Discount is missing: type a number, like 15.' });
    return inFrame(at, discountPage({ visit, product, discount: null, state }));
  },
  discount: () => {
    const discount = { code: 'W'.repeat(50), version: 1 };
    const state = stateOf({ off: '20', unit: 'amount', expiresAt: '2026-12-31', maxUses: '100' });
    return inFrame(at, discountPage({ visit, product, discount, state }));
  },
  picture: () => {
    const state = stateOf({}, { picture: 'Picture must be at most 150 KB, which are 204800 characters of base64.' });
    return inFrame(at, picturePage({ visit, product: long, state }));
  },
};
