import { limits } from '@app/contracts/common';
import type { FieldError } from '@app/contracts/errors';
import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { checkbox, choices } from '../../components/choice.ts';
import { field, textArea } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { readAmount } from '../frame/amounts.ts';
import { nothingHere, onTo, refusedPage } from '../frame/answers.ts';
import {
  type FormState,
  type FormVisit,
  form,
  formKey,
  freshForm,
  typedField,
  typedIn,
  unreadable,
  versionOf,
} from '../frame/forms.ts';
import { pictureFault, pictureField, pictureScripts } from '../frame/picture.ts';
import { type Removal, removeCard } from '../frame/removal.ts';
import type { Answer, DashboardPage, Pages, Params, Visit } from '../frame/visit.ts';
import { sectionAt } from './funnel-sections.ts';
import { linkIn, refusedProductForm } from './parts.ts';
import { pictureTexts } from './picture.ts';
import { previewFrame, withPreview } from './preview-frame.ts';

const texts = {
  bump: {
    list: 'bumps',
    create: 'createBump',
    update: 'updateBump',
    remove: 'deleteBump',
    putImage: 'putBumpImage',
    deleteImage: 'deleteBumpImage',
    added: 'New bump',
    changed: 'Bump',
    headlineHint: 'What is added, as buyers read it beside the tick.',
    shown: 'Offer it',
    shownHint: 'Buyers see it beside the Pay button.',
    add: 'Add the bump',
    removeLabel: 'Remove the bump',
    removeText: 'The checkout does not offer it any more. Orders that have it keep it.',
  },
  upsell: {
    list: 'upsells',
    create: 'createUpsell',
    update: 'updateUpsell',
    remove: 'deleteUpsell',
    putImage: 'putUpsellImage',
    deleteImage: 'deleteUpsellImage',
    added: 'New upsell',
    changed: 'Upsell',
    headlineHint: 'The offer, as buyers read it after they have paid.',
    shown: 'Offer it',
    shownHint: 'Buyers see it after the payment, and their card is held until they decide.',
    add: 'Add the upsell',
    removeLabel: 'Remove the upsell',
    removeText: 'It is not offered any more. Orders that have it keep it.',
  },
} as const;

const common = {
  descriptionHint: 'Below the headline, one or two lines. May stay empty.',
  accessHint:
    'Where buyers find it: a page, a file or a calendar. It is on the page after the purchase, in the receipt and in their purchases.',
  earlierHint:
    'Buyers see it struck through. It must be a price that you asked before; in the EU, the lowest of the last 30 days. May stay empty.',
  tooLow: 'Earlier price must be above the price, or empty.',
  save: 'Save',
  saving: 'Saving…',
  adding: 'Adding…',
  offer: 'Offer',
  status: 'Status',
} as const;

type Kind = keyof typeof texts;

const labels = {
  headline: 'Headline',
  description: 'Description',
  priceCents: 'Price',
  compareAtCents: 'Earlier price',
  accessUrl: 'Access link',
  active: 'Status',
  picture: 'Picture',
} as const;
const names = { priceCents: 'price', compareAtCents: 'earlierPrice' } as const;

/** Bumps and upsells are edited alike. */
export function offerPages(kind: Kind): Pages {
  const at = `/app/products/:productId/${texts[kind].list}`;
  return {
    [`${at}/new`]: {
      show: (visit, params) => showOffer(visit, params, kind),
      take: (visit, params) => takeOffer(visit, params, kind),
    },
    [`${at}/:offerId`]: {
      show: (visit, params) => showOffer(visit, params, kind),
      take: (visit, params) => takeOffer(visit, params, kind),
    },
  };
}

/** Without an id of the offer it is a new one. */
async function showOffer(visit: Visit, { productId = '', offerId }: Params, kind: Kind): Promise<DashboardPage> {
  const { product, offer } = await readOffer(visit, { productId, offerId }, kind);
  const stored: Record<string, string> =
    offer === null
      ? { active: '1' }
      : {
          headline: offer.headline,
          description: offer.description ?? '',
          accessUrl: offer.access_url ?? '',
          price: visit.formats.typedAmount(offer.price_cents, product.currency),
          earlierPrice:
            offer.compare_at_cents === null ? '' : visit.formats.typedAmount(offer.compare_at_cents, product.currency),
          active: String(offer.active),
        };
  return offerPage({ visit, kind, product, offer, state: freshForm(visit, stored) });
}

async function takeOffer(visit: Visit, { productId = '', offerId }: Params, kind: Kind): Promise<Answer> {
  const { form: sent, files } = visit.request;
  const { product, offer } = await readOffer(visit, { productId, offerId }, kind);
  if (sent.get('do') === 'remove' && offerId !== undefined) {
    await visit.read(texts[kind].remove, {
      params: { productId, offerId },
      idempotencyKey: formKey(visit, 'remove'),
    });
    return onTo(sectionAt(productId, texts[kind].list, 'removed'));
  }
  const again = (state: FormState) => refusedPage(offerPage({ visit, kind, product, offer, state }));
  const { body, faults } = readOfferForm(visit, product.currency);
  const idempotencyKey = formKey(visit, JSON.stringify(body));
  const saved =
    offerId === undefined
      ? await visit.call(texts[kind].create, { params: { productId }, body, faults, idempotencyKey })
      : await visit.call(texts[kind].update, {
          params: { productId, offerId },
          body,
          faults,
          ifVersion: versionOf(visit),
          idempotencyKey,
        });
  if (!saved.ok) return again(refusedProductForm(visit, saved.problem, labels, names));
  const of = { productId, offerId: saved.body.id };
  const isPictured = await savePicture(visit, kind, of, files.get('picture'));
  const done = offerId === undefined ? 'added' : 'saved';
  return onTo(sectionAt(productId, texts[kind].list, isPictured ? done : `${done}-without-picture`));
}

function readOfferForm({ request: { form: sent, files }, formats }: Visit, currency: string) {
  const faults: FieldError[] = [];
  const price = readAmount(sent.get('price') ?? '', currency, labels.priceCents, formats);
  if (!price.ok) faults.push(unreadable('priceCents', price.error));
  const typed = (sent.get('earlierPrice') ?? '').trim();
  const earlier = typed === '' ? null : readAmount(typed, currency, labels.compareAtCents, formats);
  if (earlier?.ok === false) faults.push(unreadable('compareAtCents', earlier.error));
  if (price.ok && earlier?.ok && earlier.cents <= price.cents) faults.push(unreadable('compareAtCents', common.tooLow));
  const fault = pictureFault(files.get('picture'));
  if (fault !== null) faults.push(unreadable('picture', fault));
  const body = {
    headline: sent.get('headline') ?? '',
    description: (sent.get('description') ?? '').trim() || null,
    accessUrl: linkIn((sent.get('accessUrl') ?? '').trim()),
    priceCents: price.ok ? price.cents : Number.NaN,
    compareAtCents: earlier?.ok ? earlier.cents : null,
    active: sent.has('active') ? (1 as const) : (0 as const),
  };
  return { body, faults };
}

/** @returns false where the picture is none that can be taken */
async function savePicture(
  visit: Visit,
  kind: Kind,
  params: { readonly productId: string; readonly offerId: string },
  data: string | undefined,
): Promise<boolean> {
  if (data !== undefined) return (await visit.call(texts[kind].putImage, { params, body: { data } })).ok;
  if (visit.request.form.has('removePicture')) await visit.read(texts[kind].deleteImage, { params });
  return true;
}

interface Named {
  readonly productId: string;
  readonly offerId: string | undefined;
}

async function readOffer(visit: Visit, { productId, offerId }: Named, kind: Kind) {
  const params = { productId };
  const [product, funnel] = await Promise.all([
    visit.read('getProduct', { params }),
    visit.read('getFunnel', { params }),
  ]);
  const offer = funnel[texts[kind].list].find(({ id }) => id === offerId) ?? null;
  if (offer === null && offerId !== undefined) throw nothingHere(visit);
  return { product, offer };
}

interface OfferContent {
  readonly visit: FormVisit;
  readonly kind: Kind;
  readonly product: { readonly id: string; readonly name: string };
  /** Null for one that is being made. */
  readonly offer: { readonly id: string; readonly version: number; readonly image_url: string | null } | null;
  readonly state: FormState;
}

export function offerPage({ visit, kind, product, offer, state }: OfferContent): DashboardPage {
  const said = texts[kind];
  const isNew = offer === null;
  const removal: Removal = { label: said.removeLabel, text: said.removeText };
  const fields = form(visit, {
    id: 'edited',
    state,
    version: offer?.version,
    hasFiles: true,
    content: html`${offerFields(kind, state)}${pictureFields(offer?.image_url ?? null, state)}`,
    buttons: button({
      label: isNew ? said.add : common.save,
      busyLabel: isNew ? common.adding : common.saving,
      kind: 'accent',
    }),
  });
  const preview = new URLSearchParams({ part: kind });
  if (offer !== null) preview.set('offer', offer.id);
  const page = withPreview({
    title: isNew ? said.added : said.changed,
    back: { href: `/app/products/${product.id}`, label: product.name },
    main: html`<div class="two-columns"><div class="stack">${card(common.offer, fields)}${!isNew && removeCard(visit, removal)}</div>${previewFrame(
      `/app/products/${product.id}/preview?${preview}`,
    )}</div>`,
  });
  return Object.assign({}, page, { scripts: [...(page.scripts ?? []), ...pictureScripts] });
}

function pictureFields(imageUrl: string | null, state: FormState): Html {
  const choose = pictureField(pictureTexts, state, false);
  if (imageUrl === null) return choose;
  const remove = checkbox({
    name: 'removePicture',
    label: pictureTexts.removal.label,
    isChecked: state.values.has('removePicture'),
  });
  return html`${choose}<img class="chosen" src="${imageUrl}" alt="" width="160" height="90">${remove}`;
}

function offerFields(kind: Kind, state: FormState): Html {
  const { headlineHint, shown, shownHint } = texts[kind];
  return html`${field({
    ...typedField(state, 'headline'),
    label: labels.headline,
    hint: headlineHint,
    isRequired: true,
    maxLength: limits.name,
  })}${textArea({
    ...typedField(state, 'description'),
    label: labels.description,
    hint: common.descriptionHint,
    maxLength: limits.offerDescription,
  })}${field({
    ...typedField(state, 'price'),
    label: labels.priceCents,
    keyboard: 'decimal',
    isRequired: true,
    maxLength: 40,
  })}${field({
    ...typedField(state, 'earlierPrice'),
    label: labels.compareAtCents,
    hint: common.earlierHint,
    keyboard: 'decimal',
    maxLength: 40,
  })}${field({
    ...typedField(state, 'accessUrl'),
    label: labels.accessUrl,
    hint: common.accessHint,
    keyboard: 'url',
    maxLength: limits.url,
  })}${choices({
    legend: common.status,
    name: 'active',
    kind: 'checkbox',
    choices: [{ value: '1', label: shown, hint: shownHint, isChosen: typedIn(state, 'active') === '1' }],
  })}`;
}
