import { linkButton } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { type Html, html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, type FormVisit, freshForm } from '../frame/forms.ts';
import { pictureForm, pictureScripts, takePictureForm } from '../frame/picture.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';

const texts = {
  title: 'Logo',
  about: 'It stands beside your business name on your checkout and in the buyers’ portal.',
  none: 'No logo yet. Your name is shown.',
  choose: 'Choose a logo',
  change: 'Change the logo',
  back: 'Checkout pages',
  file: 'Logo',
  hint: 'A JPEG, PNG or WebP. We make it smaller. It is shown 32 pixels high, and 120 wide at most.',
  save: 'Save the logo',
  removal: { label: 'Remove the logo', text: 'Your business name stands alone. Restoring it takes choosing it again.' },
} as const;

const back = '/app/settings/pages';
export const logoPath = '/app/settings/logo';

/** GET of the logo of the account's pages. */
export async function showLogo(visit: Visit): Promise<DashboardPage> {
  const { logoUrl } = await visit.read('getSettings', {});
  return logoPage({ visit, logoUrl, state: freshForm(visit) });
}

export async function takeLogo(visit: Visit): Promise<Answer> {
  if (visit.request.form.get('do') === 'remove') {
    await visit.read('deleteLogo', {});
    return onTo(`${back}?saved=1`);
  }
  const refused = await takePictureForm(visit, texts, (data) => visit.call('putLogo', { body: { data } }));
  if (refused === null) return onTo(`${back}?saved=1`);
  const { logoUrl } = await visit.read('getSettings', {});
  return refusedPage(logoPage({ visit, logoUrl, state: refused }));
}

interface LogoContent {
  readonly visit: FormVisit;
  readonly logoUrl: string | null;
  readonly state: FormState;
}

export const logoPage = ({ visit, logoUrl, state }: LogoContent): DashboardPage => ({
  title: texts.title,
  back: { href: back, label: texts.back },
  main: pictureForm({
    visit,
    texts,
    heading: texts.title,
    image: logoUrl === null ? null : logoImage(logoUrl),
    state,
  }),
  scripts: pictureScripts,
});

const logoImage = (url: string): Html => html`<img class="logo" src="${url}" alt="" height="32">`;

/** The logo among the settings of the account's pages. */
export const logoCard = (logoUrl: string | null): Html =>
  card(
    texts.title,
    html`${logoUrl === null ? html`<p>${texts.none}</p>` : logoImage(logoUrl)}<p class="small quiet">${texts.about}</p><p>${linkButton(
      { label: logoUrl === null ? texts.choose : texts.change, href: logoPath },
    )}</p>`,
  );
