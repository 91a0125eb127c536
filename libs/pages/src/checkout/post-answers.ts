import type { PayCheckoutBody } from '@app/contracts/checkouts';
import type { PageCookie, PageRequest, Redirect, ShownPage } from '../page.ts';
import { busyFormPage } from './notice-pages.ts';
import { actionOf, type ProductAddress, pathOf } from './product-address.ts';

/** Back to the page, which shows how far the purchase is. */
export function back(
  request: PageRequest,
  address: ProductAddress,
  cookies: readonly PageCookie[] = [],
  outcome?: 'failed',
): Redirect {
  const action = actionOf(address, request.query);
  const said = outcome === undefined ? '' : `${action.includes('?') ? '&' : '?'}${outcome}=1`;
  return { status: 303, location: `${action}${said}`, cookies };
}

/** Over the limit: a page that keeps what was typed, and sends it again to where it was sent. */
export function busyForm(request: PageRequest, action: string, retryAfterSeconds: number | null): ShownPage {
  const seconds = Math.max(1, retryAfterSeconds ?? 60);
  const typed = [...request.form].filter(([name]) => name !== 'meant');
  const { title, body } = busyFormPage(seconds, action, typed);
  return { status: 429, title, body, scripts: ['checkout.js'], retryAfterSeconds: seconds };
}

/** The Idempotency-Key of a click: another card or another total is another click. */
export function postKey(form: URLSearchParams, ...parts: readonly string[]): string {
  return [form.get('key') ?? '', ...parts]
    .join('.')
    .replaceAll(/[^\x21-\x7e]/g, '_')
    .slice(0, 255);
}

/** What `payCheckout` takes, with the way back from the bank. */
export const payBody = (
  { baseUrl, form }: PageRequest,
  address: ProductAddress,
  paymentMethod: string,
): PayCheckoutBody => ({
  paymentMethod,
  returnUrl: `${baseUrl}${pathOf(address)}?back=1`,
  ...byScriptOf(form),
});

/** Forms with fields of a processor's script come from a page that runs it. */
export const byScriptOf = (form: URLSearchParams): { readonly confirmsByScript?: true } =>
  form.has('by-script') ? { confirmsByScript: true } : {};
