import type { ProductResource } from '@app/contracts/products';
import { button, linkButton } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, type FormVisit, form } from '../frame/forms.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { type Funnel, funnelSections } from './funnel-sections.ts';
import { priceOf, statusBadge } from './parts.ts';
import { previewFrame, withPreview } from './preview-frame.ts';
import { productFields } from './product-form.ts';
import { shareCard } from './share.ts';

const texts = {
  back: 'Products',
  product: 'Product',
  save: 'Save',
  saving: 'Saving…',
  picture: 'Picture',
  addPicture: 'Add a picture',
  changePicture: 'Change the picture',
  live: 'Make it live',
  liveAgain: 'Sell it again',
  liveBusy: 'One moment…',
  open: 'Open the checkout',
  end: 'Archive',
  archive: 'Archive the product',
  archiveText:
    'It stops selling, and its link says so. What was sold stays with its buyers, and subscriptions go on. You can sell it again later.',
  pushed: (sent: number) => (sent === 1 ? 'One email was pushed.' : `${sent} emails were pushed.`),
  pushedNowhere: 'No webhook URL takes pushed emails, so nothing was sent. Connect one, and push again.',
  integrations: 'Open the integrations',
} as const;

const done: Readonly<Record<string, string>> = {
  made: 'The product is a draft. Add what goes with it, check the preview, and make it live.',
  saved: 'Saved.',
  live: 'The product is live: buyers can pay on its checkout.',
  archived: 'The product is archived: it is not sold any more.',
  added: 'Added.',
  removed: 'Removed.',
};

export type { Funnel } from './funnel-sections.ts';

interface ProductContent {
  readonly visit: FormVisit;
  readonly product: ProductResource;
  readonly funnel: Funnel;
  readonly state: FormState;
  /** Why a button did nothing. */
  readonly problem: string | null;
  /** The query: what was done before. */
  readonly done: URLSearchParams;
  readonly formats: Formats;
}

/** A product with everything that is sold and sent around it. */
export function productPage(content: ProductContent): DashboardPage {
  const { visit, product, funnel, formats, problem, done: query } = content;
  return withPreview({
    title: product.name,
    heading: html`<bdi>${product.name}</bdi>`,
    back: { href: '/app/products', label: texts.back },
    about: html`<p>${statusBadge(product)} ${money(priceOf(product, formats))}</p>`,
    action: mainAction(content),
    main: html`${problem === null ? doneNotice(query) : notice('bad', problem)}<div class="two-columns">${card(texts.product, productForm(content))}${previewFrame(
      `/app/products/${product.id}/preview`,
    )}</div>${funnelSections({ visit, product, funnel, formats })}<div class="two-columns">${shareCard(product)}${archiveCard(content)}</div>`,
  });
}

function doneNotice(query: URLSearchParams): Html {
  const what = query.get('done') ?? '';
  if (what === 'pushed') {
    const sent = Number.parseInt(query.get('sent') ?? '0', 10) || 0;
    if (sent > 0) return notice('good', texts.pushed(sent));
    return notice('warn', texts.pushedNowhere, html`<p><a href="/app/integrations">${texts.integrations}</a></p>`);
  }
  const said = Object.hasOwn(done, what) ? done[what] : undefined;
  return said === undefined ? html`` : notice('good', said);
}

/** Making it live, and once it is, opening it. */
function mainAction({ visit, product }: ProductContent): Html {
  const { id, status, checkout_url } = product;
  if (status === 'live') return linkButton({ label: texts.open, href: checkout_url });
  const label = status === 'draft' ? texts.live : texts.liveAgain;
  return form(visit, {
    action: `/app/products/${id}`,
    content: button({ label, busyLabel: texts.liveBusy, kind: 'accent', name: 'do', value: 'live' }),
  });
}

function productForm({ visit, product, state }: ProductContent): Html {
  const picture = `/app/products/${product.id}/picture`;
  return html`${form(visit, {
    id: 'edited',
    action: `/app/products/${product.id}`,
    state,
    version: product.version,
    content: productFields(state, product),
    buttons: button({
      label: texts.save,
      busyLabel: texts.saving,
      // The page has one accent: selling comes first.
      kind: product.status === 'live' ? 'accent' : 'plain',
    }),
  })}<div class="field"><span class="label">${texts.picture}</span>${
    product.image_url !== null && html`<img class="picture" src="${product.image_url}" alt="" width="400" height="225">`
  }<p class="small"><a href="${picture}">${product.image_url === null ? texts.addPicture : texts.changePicture}</a></p></div>`;
}

function archiveCard({ visit, product }: ProductContent): Html {
  if (product.status === 'archived') return html``;
  const content = html`<p class="small quiet">${texts.archiveText}</p><div class="buttons">${button({
    label: texts.archive,
    busyLabel: texts.liveBusy,
    name: 'do',
    value: 'archive',
  })}</div>`;
  return card(texts.end, form(visit, { action: `/app/products/${product.id}`, content }));
}
