import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { type Html, html } from '../../html.ts';
import { type FormVisit, form } from './forms.ts';

export interface Removal {
  readonly label: string;
  /** What removing it means. */
  readonly text: string;
}

const removing = 'Removing…';

/** Removes what the page is about, once its consequences are read. The page takes `do=remove`. */
export const removeCard = (visit: FormVisit, { label, text }: Removal): Html =>
  card(
    'Remove',
    form(visit, {
      content: html`<p class="small quiet">${text}</p><div class="buttons">${button({
        label,
        busyLabel: removing,
        kind: 'danger',
        name: 'do',
        value: 'remove',
      })}</div>`,
    }),
  );
