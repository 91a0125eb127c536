import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, type FormVisit, freshForm } from '../frame/forms.ts';
import { pictureForm, pictureScripts, takePictureForm } from '../frame/picture.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';

export const pictureTexts = {
  title: 'Picture',
  file: 'Picture',
  hint: 'A JPEG, PNG or WebP. We make it smaller. Wide pictures (16:9) fit best.',
  save: 'Save the picture',
  removal: {
    label: 'Remove the picture',
    text: 'The checkout shows none. Restoring it takes choosing it again.',
  },
} as const;

export async function showPicture(visit: Visit, { productId = '' }: Params): Promise<DashboardPage> {
  const product = await visit.read('getProduct', { params: { productId } });
  return picturePage({ visit, product, state: freshForm(visit) });
}

export async function takePicture(visit: Visit, { productId = '' }: Params): Promise<Answer> {
  const params = { productId };
  const back = `/app/products/${productId}?done=saved`;
  const product = await visit.read('getProduct', { params });
  if (visit.request.form.get('do') === 'remove') {
    await visit.read('deleteProductImage', { params });
    return onTo(back);
  }
  const refused = await takePictureForm(visit, pictureTexts, (data) =>
    visit.call('putProductImage', { params, body: { data } }),
  );
  return refused === null ? onTo(back) : refusedPage(picturePage({ visit, product, state: refused }));
}

interface PictureContent {
  readonly visit: FormVisit;
  readonly product: { readonly id: string; readonly name: string; readonly image_url: string | null };
  readonly state: FormState;
}

export function picturePage({ visit, product, state }: PictureContent): DashboardPage {
  const { image_url: url } = product;
  const image = url === null ? null : html`<img class="picture" src="${url}" alt="" width="400" height="225">`;
  return {
    title: pictureTexts.title,
    back: { href: `/app/products/${product.id}`, label: product.name },
    main: pictureForm({ visit, texts: pictureTexts, heading: product.name, image, state }),
    scripts: pictureScripts,
  };
}
