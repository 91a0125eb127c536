import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { fileField } from '../../components/field.ts';
import { html } from '../../html.ts';
import { type FormState, type FormVisit, form, freshForm, keyOf, refusedForm, wrongForm } from '../frame/forms.ts';
import { type Answer, type DashboardPage, onTo, type Params, refusedPage, type Visit } from '../frame/visit.ts';
import { removeCard } from './removal.ts';

const texts = {
  title: 'Picture',
  file: 'Picture',
  hint: 'A PNG, JPEG or WebP of at most 150 KB; 16:9 is shown whole.',
  missing: 'Choose a picture of this device.',
  save: 'Save the picture',
  saving: 'Saving…',
  remove: 'Remove the picture',
  removeText: 'The checkout shows none. Restoring it takes choosing it again.',
} as const;

export async function showPicture(visit: Visit, { productId = '' }: Params): Promise<DashboardPage> {
  const product = await visit.read('getProduct', { params: { productId } });
  return picturePage({ visit, product, state: freshForm(visit) });
}

export async function takePicture(visit: Visit, { productId = '' }: Params): Promise<Answer> {
  const params = { productId };
  const back = `/app/products/${productId}?done=saved`;
  const { form: sent, files } = visit.request;
  const product = await visit.read('getProduct', { params });
  const again = (state: FormState) => refusedPage(picturePage({ visit, product, state }));
  if (sent.get('do') === 'remove') {
    await visit.read('deleteProductImage', { params, idempotencyKey: keyOf(visit, 'remove') });
    return onTo(back);
  }
  const data = files.get('picture');
  if (data === undefined) return again(wrongForm(visit, { picture: texts.missing }));
  const saved = await visit.call('putProductImage', { params, body: { data } });
  return saved.ok ? onTo(back) : again(refusedForm(visit, saved.problem, { data: texts.file }, { data: 'picture' }));
}

interface PictureContent {
  readonly visit: FormVisit;
  readonly product: { readonly id: string; readonly name: string; readonly image_url: string | null };
  readonly state: FormState;
}

export function picturePage({ visit, product, state }: PictureContent): DashboardPage {
  const chosen = form(visit, {
    state,
    hasFiles: true,
    content: html`${
      product.image_url !== null &&
      html`<img class="picture" src="${product.image_url}" alt="" width="400" height="225">`
    }${fileField({
      name: 'picture',
      label: texts.file,
      hint: texts.hint,
      error: state.errors.picture,
      accept: 'image/png,image/jpeg,image/webp',
      isRequired: true,
    })}`,
    buttons: button({ label: texts.save, busyLabel: texts.saving, kind: 'accent' }),
  });
  return {
    title: texts.title,
    back: { href: `/app/products/${product.id}`, label: product.name },
    main: html`${card(product.name, chosen)}${
      product.image_url !== null && removeCard(visit, { label: texts.remove, text: texts.removeText })
    }`,
    scripts: ['picture.js'],
  };
}
