import { accentForm, isVisibleAccent, nearestAccent } from '@app/contracts/accent-color';
import { httpsUrl } from '@app/contracts/common';
import type { Shop } from '../../checkout/model.ts';
import type { ShownPage } from '../../page.ts';
import type { Visit } from '../frame/visit.ts';
import { type Drawn, drawing } from '../products/preview.ts';
import { typedNumber } from './groups.ts';

const texts = {
  product: 'Your product',
  description: 'This is how your products look. Each has a preview of its own, too.',
} as const;

/** Of a product that stands in while there is none. */
const priceCents = 49_00;
const productsRead = 100;

export const pagesPreviewPath = '/app/settings/pages/preview';

/** GET and POST of the preview of the checkout pages: of a product on sale, with the settings that the form holds that was sent. */
export const showPagesPreview = (visit: Visit): Promise<ShownPage> =>
  drawing(
    visit,
    () => productOf(visit),
    (shop) => (visit.request.form.size === 0 ? shop : withTyped(shop, visit.request.form)),
  );

async function productOf(visit: Visit): Promise<Drawn> {
  const [{ data }, { defaultCurrency }] = await Promise.all([
    visit.read('listProducts', { query: { limit: productsRead } }),
    visit.account(),
  ]);
  const product = data.find(({ status }) => status === 'live') ?? data[0];
  return {
    name: product?.name ?? texts.product,
    description: product === undefined ? texts.description : (product.description ?? ''),
    imageUrl: product?.image_url ?? null,
    billingInterval: product?.billing_interval ?? null,
    priceCents: product?.price_cents ?? priceCents,
    currency: product?.currency ?? defaultCurrency,
    bumps: [],
    upsell: null,
    takesCodes: false,
  };
}

/** What cannot be saved as it is typed is drawn as it is stored; a colour that no button may have, as the nearest one that may. */
function withTyped(shop: Shop, form: URLSearchParams): Shop {
  const typed = (name: string) => (form.get(name) ?? '').trim();
  const link = (name: 'termsUrl' | 'refundPolicyUrl') =>
    typed(name) === '' ? null : httpsUrl.safeParse(typed(name)).success ? typed(name) : shop[name];
  return Object.assign({}, shop, {
    accentColor: accentOf(typed('accentColor'), shop.accentColor),
    termsUrl: link('termsUrl'),
    refundPolicyUrl: link('refundPolicyUrl'),
    withdrawalDays: typedNumber(typed('withdrawalDays')) ?? shop.withdrawalDays,
    immediateAccessConsent: form.has('immediateAccessConsent'),
  });
}

function accentOf(typed: string, stored: string | null): string | null {
  if (typed === '') return null;
  if (!accentForm.test(typed)) return stored;
  return isVisibleAccent(typed) ? typed : nearestAccent(typed);
}
