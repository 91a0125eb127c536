import { currencyDigits } from '@app/money/format';
import { html } from '../html/html.ts';
import { noticePage, renderBuyersPage } from './layout.ts';

export const scriptPath = '/c/checkout.js';

/** Currencies whose minor unit is no hundredth. Browsers know what shops show, which is not always the same. */
const digits = JSON.stringify(
  Object.fromEntries(
    Intl.supportedValuesOf('currency')
      .map((code) => [code.toLowerCase(), currencyDigits(code)] as const)
      .filter(([, count]) => count !== 2),
  ),
);

/** The page of a product's checkout: what it shows comes from the public API, by the script. */
export function checkoutPage(handle: string, slug: string, businessName: string): string {
  return renderBuyersPage(
    businessName === '' ? 'Checkout' : `Checkout · ${businessName}`,
    html`<main id="checkout" data-handle="${handle}" data-slug="${slug}" data-digits="${digits}">
<p class="quiet" role="status">Opening the checkout…</p>
<noscript><p>This page needs JavaScript to take your order.</p></noscript>
</main>`,
    html`<script type="module" src="${scriptPath}"></script>`,
  );
}

export function unknownProductPage(): string {
  return noticePage('There is nothing for sale at this address', [
    html`<p>Check the address, or ask whoever gave it to you for the current one.</p>`,
  ]);
}

export function unknownSellerPage(): string {
  return noticePage('There is no shop at this address', [
    html`<p>Check the address, or ask whoever gave it to you for the current one.</p>`,
  ]);
}
