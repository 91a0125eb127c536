import { imageMaxBytes } from '@app/contracts/images';
import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { fileField } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, type FormVisit, form, refusedForm, typedField, wrongForm } from './forms.ts';
import { type Removal, removeCard } from './removal.ts';
import type { Visit } from './visit.ts';

const texts = {
  missing: 'Choose a picture of this device.',
  tooLarge: `The picture has more than ${imageMaxBytes / 1024} KB: choose a smaller one.`,
  saving: 'Saving…',
} as const;

export interface PictureTexts {
  /** What the picture is: the label of the field. */
  readonly file: string;
  readonly hint: string;
  readonly save: string;
  readonly removal: Removal;
}

interface PictureForm {
  readonly visit: FormVisit;
  readonly texts: PictureTexts;
  /** Over the form. */
  readonly heading: string;
  /** The one that there is. */
  readonly image: Html | null;
  readonly state: FormState;
}

/** Makes pictures of cameras smaller, on pages with such a form. */
export const pictureScripts: readonly string[] = ['picture.js'];

/** Chooses a picture, shows the one that is there, and removes it (`do=remove`). */
export function pictureForm({ visit, texts: of, heading, image, state }: PictureForm): Html {
  const chosen = form(visit, {
    state,
    hasFiles: true,
    content: html`${image}${pictureField(of, state, true)}`,
    buttons: button({ label: of.save, busyLabel: texts.saving, kind: 'accent' }),
  });
  return html`${card(heading, chosen)}${image !== null && removeCard(visit, of.removal)}`;
}

/** The field of a form with a picture (`hasFiles`). */
export const pictureField = (of: Pick<PictureTexts, 'file' | 'hint'>, state: FormState, isRequired: boolean): Html =>
  fileField({
    ...typedField(state, 'picture'),
    label: of.file,
    hint: of.hint,
    accept: 'image/png,image/jpeg,image/webp',
    isRequired,
  });

/** Why a picture that was sent cannot be taken, before anything is made for it; null where it may be. */
export const pictureFault = (data: string | undefined): string | null =>
  data !== undefined && Buffer.byteLength(data, 'base64') > imageMaxBytes ? texts.tooLarge : null;

/**
 * Puts the picture that was sent.
 * @param put calls the operation with its bytes in base64
 * @returns the form where it was refused; null where it is saved
 */
export async function takePictureForm(
  visit: Visit,
  { file }: PictureTexts,
  put: (
    data: string,
  ) => ReturnType<typeof visit.call<'putLogo' | 'putProductImage' | 'putBumpImage' | 'putUpsellImage'>>,
): Promise<FormState | null> {
  const data = visit.request.files.get('picture');
  if (data === undefined) return wrongForm(visit, { picture: texts.missing });
  const fault = pictureFault(data);
  if (fault !== null) return wrongForm(visit, { picture: fault });
  const saved = await put(data);
  return saved.ok ? null : refusedForm(visit, saved.problem, { data: file }, { data: 'picture' });
}
