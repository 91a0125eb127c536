import type { ProductResource } from '@app/contracts/products';
import encodeQR from 'qr';
import { card } from '../../components/card.ts';
import { copyField } from '../../components/parts.ts';
import { escapeHtml } from '../../escape-html.ts';
import { type Html, html } from '../../html.ts';
import type { MadeFile } from '../../page.ts';
import type { Params, Visit } from '../frame/visit.ts';

const texts = {
  title: 'Share',
  link: 'Link to the checkout',
  button: 'Button for your site, as HTML',
  buy: (name: string) => `Buy ${name}`,
  code: 'QR code of the link',
  download: 'Download the QR code',
  notLive: 'Buyers can pay once the product is live.',
} as const;

type Shared = Pick<ProductResource, 'id' | 'name' | 'slug' | 'checkout_url' | 'status'>;

/** How buyers get to the checkout: a link, a button and a code to print. */
export function shareCard({ id, name, slug, checkout_url, status }: Shared): Html {
  const code = `/app/products/${id}/qr.svg`;
  return card(
    texts.title,
    html`${status !== 'live' && html`<p class="small quiet">${texts.notLive}</p>`}${copyField(texts.link, checkout_url, 'link')}${copyField(
      texts.button,
      buttonSnippet(checkout_url, name),
      'snippet',
    )}<img class="qr" src="${code}" alt="${texts.code}" width="160" height="160"><p class="small"><a href="${code}" download="${slug}.svg">${texts.download}</a></p>`,
  );
}

/** Of the seller's own site, whose styles are not known: it brings what it needs. */
export const buttonSnippet = (address: string, name: string): string =>
  `<a href="${escapeHtml(address)}" style="${buttonStyle}">${escapeHtml(texts.buy(name))}</a>`;

const buttonStyle =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#16191d;color:#fff;font:500 16px/24px system-ui,sans-serif;text-decoration:none';

/** GET of the QR code, as a picture of any size. */
export async function showCode(visit: Visit, { productId = '' }: Params): Promise<MadeFile> {
  const { checkout_url } = await visit.read('getProduct', { params: { productId } });
  return { type: 'image/svg+xml', content: codeOf(checkout_url) };
}

/** Black on white, whatever is behind it, with the quiet zone of four modules that readers want (ISO/IEC 18004). */
export const codeOf = (address: string): string =>
  encodeQR(address, 'svg', { border: 4 }).replace('>', '><path fill="#fff" d="M0 0h999v999H0z"/>');
