import { currencyDigits } from '@app/money/format';
import { type Html, html } from '@app/pages/html';
import { assets } from '../assets.ts';
import { noticePage, renderBuyersPage } from './layout.ts';

/** Currencies whose minor unit is no hundredth. Browsers know what shops show, which is not always the same. */
const digits = JSON.stringify(
  Object.fromEntries(
    Intl.supportedValuesOf('currency')
      .map((code) => [code.toLowerCase(), currencyDigits(code)] as const)
      .filter(([, count]) => count !== 2),
  ),
);

const nothingForSale = 'There is nothing for sale at this address';
const askAgain = html`<p>Check the address, or ask whoever gave it to you for the current one.</p>`;

/** The page of a product's checkout: what it shows comes from the public API, by the script. */
export function checkoutPage(handle: string, slug: string, businessName: string): string {
  const opening = html`<p class="quiet" role="status">Opening the checkout…</p>
<noscript><p>This page needs JavaScript to take your order.</p></noscript>`;
  return scriptedPage({ handle, slug }, businessName === '' ? 'Checkout' : `Checkout · ${businessName}`, opening);
}

/**
 * The page of a slug that the shop does not have. It has the script all the same: a buyer who is in the middle of a
 * checkout while the seller changes the product's slug goes on with it.
 */
export const missingCheckoutPage = (handle: string, slug: string): string =>
  scriptedPage({ handle, slug }, nothingForSale, html`<h1>${nothingForSale}</h1>${askAgain}`);

function scriptedPage({ handle, slug }: { handle: string; slug: string }, title: string, content: Html): string {
  return renderBuyersPage(
    title,
    html`<main id="checkout" data-handle="${handle}" data-slug="${slug}" data-digits="${digits}">
${content}
</main>`,
    html`<script type="module" src="${assets.address('checkout.js')}"></script>`,
  );
}

const ownAddress = html`<p>Each product has an address of its own.</p>`;

export const unknownProductPage = (): string => noticePage(nothingForSale, [ownAddress, askAgain]);

export function unknownSellerPage(): string {
  return noticePage('There is no shop at this address', [askAgain]);
}
