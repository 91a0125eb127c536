import type { ProductResource } from '@app/contracts/products';
import { button, linkButton } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { notice } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, type FormVisit, form } from '../frame/forms.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { type Funnel, funnelSections, isSection } from './funnel-sections.ts';
import { priceOf, statusBadge } from './parts.ts';
import { previewedForm, previewFrame, withPreview } from './preview-frame.ts';
import { productFields } from './product-form.ts';
import { shareCard } from './share.ts';

const texts = {
  back: 'Products',
  onPage: 'On this page',
  unsaved: 'Not saved yet.',
  save: 'Save',
  saving: 'Saving…',
  picture: 'Picture',
  addPicture: 'Add a picture',
  changePicture: 'Change the picture',
  live: 'Make it live',
  liveAgain: 'Sell it again',
  liveBusy: 'One moment…',
  noAccess:
    'This product has no access link: buyers would get a receipt and nothing to open. Add one, unless you deliver it yourself.',
  addAccess: 'Add an access link',
  liveWithout: 'Make it live without one',
  open: 'Open the checkout',
  end: 'Archive',
  archive: 'Archive the product',
  archiveText:
    'It stops selling, and its link says so. What was sold stays with its buyers, and subscriptions go on. You can sell it again later.',
  pushed: (sent: number) =>
    sent === 1 ? 'One text was sent to your email tool.' : `${sent} texts were sent to your email tool.`,
  pushedNowhere: 'No webhook URL takes emails, so nothing was sent. Connect one, and send again.',
  integrations: 'Open the integrations',
} as const;

const done: Readonly<Record<string, string>> = {
  made: 'The product is a draft. Add what goes with it, check the preview, and make it live.',
  'made-without-picture':
    'The product is a draft. Its picture was not taken: it must be a JPEG, PNG or WebP of at most 150 KB.',
  saved: 'Saved.',
  'saved-without-picture': 'Saved. The picture was not taken: it must be a JPEG, PNG or WebP of at most 150 KB.',
  live: 'The product is live: buyers can pay on its checkout.',
  archived: 'The product is archived: it is not sold any more.',
  added: 'Added.',
  'added-without-picture': 'Added. Its picture was not taken: it must be a JPEG, PNG or WebP of at most 150 KB.',
  removed: 'Removed.',
};

/** The cards of the page by their anchors, in their order. */
const cards = {
  product: 'Product',
  pricing: 'Price and plan',
  delivery: 'Delivery',
  appearance: 'Page and picture',
  offers: 'Offers, codes and emails',
} as const;

export type { Funnel } from './funnel-sections.ts';

interface ProductContent {
  readonly visit: FormVisit;
  readonly product: ProductResource;
  readonly funnel: Funnel;
  readonly state: FormState;
  /** Why a button did nothing. */
  readonly problem: string | null;
  /** It has no access link, and was to be made live. */
  readonly asksForAccess?: boolean;
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
    about: html`<p>${statusBadge(product)} ${priceOf(product, formats)}</p>`,
    action: mainAction(content),
    main: html`<div class="with-save">${problem === null ? atTop(query) : notice('bad', problem)}${content.asksForAccess && accessQuestion(content)}${onPage}<div class="two-columns">${productForm(content)}${previewFrame(
      `/app/products/${product.id}/preview`,
    )}</div>${card(cards.offers, funnelSections({ visit, product, funnel, formats, done: { at: query.get('at'), notice: doneNotice(query) } }), 'offers')}<div class="two-columns">${shareCard(product)}${archiveCard(content)}</div>${saveBar(product)}</div>`,
  });
}

const onPage = html`<nav class="on-page small" aria-label="${texts.onPage}"><ul>${Object.entries(cards).map(
  ([id, title]) => html`<li><a href="#${id}">${title}</a></li>`,
)}</ul></nav>`;

/** It stays on the screen, whichever card is edited. */
const saveBar = ({ status }: ProductResource): Html =>
  html`<div class="save-bar"><p class="small unsaved">${texts.unsaved}</p>${button({
    label: texts.save,
    busyLabel: texts.saving,
    // The page has one accent: selling comes first.
    kind: status === 'live' ? 'accent' : 'plain',
    form: previewedForm,
  })}</div>`;

/** What was done in a section is said there: its address leads past the top. */
const atTop = (query: URLSearchParams): Html => (isSection(query.get('at')) ? html`` : doneNotice(query));

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

function accessQuestion({ visit, product: { id } }: ProductContent): Html {
  const anyway = button({
    label: texts.liveWithout,
    busyLabel: texts.liveBusy,
    name: 'do',
    value: 'live-without-access',
  });
  const ways = html`<p><a href="#accessUrl">${texts.addAccess}</a></p>${form(visit, { action: `/app/products/${id}`, content: anyway })}`;
  return notice('warn', texts.noAccess, ways);
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

/** One form over the cards of what is saved together. Its button stands in `saveBar`, outside of it. */
function productForm({ visit, product, state }: ProductContent): Html {
  const fields = productFields(state, product);
  return form(visit, {
    id: previewedForm,
    action: `/app/products/${product.id}`,
    state,
    version: product.version,
    content: html`${card(cards.product, fields.product, 'product')}${card(cards.pricing, fields.pricing, 'pricing')}${card(
      cards.delivery,
      fields.delivery,
      'delivery',
    )}${card(cards.appearance, html`${fields.appearance}${picture(product)}`, 'appearance')}`,
  });
}

function picture({ id, image_url: url }: ProductResource): Html {
  return html`<div class="field"><span class="label">${texts.picture}</span>${
    url !== null && html`<img class="picture" src="${url}" alt="" width="400" height="225">`
  }<p class="small"><a href="/app/products/${id}/picture">${url === null ? texts.addPicture : texts.changePicture}</a></p></div>`;
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
