import { facts } from '../../components/card.ts';
import { type Html, html } from '../../html.ts';
import type { DashboardPage } from './visit.ts';

const title = 'Keyboard shortcuts';

const key = (name: string, does: string) => [does, html`<kbd>${name}</kbd>`] as const;
const list = facts([
  key('/', 'Search'),
  key('?', 'Show these shortcuts'),
  key('Esc', 'Close what is open above the page'),
]);

/** Leads to the page of the shortcuts; a script opens them above the present page instead. */
export const keyboardLink = html`<a class="small keyboard" href="/app/keyboard" data-dialog="keyboard">${title}</a>`;

/** Closed until a script opens it; its address is that of the page with `#keyboard`. */
export const keyboardDialog: Html = html`<dialog id="keyboard" aria-labelledby="keyboard-title"><div class="stack"><h2 id="keyboard-title">${title}</h2>${list}<form method="dialog"><button class="button plain" type="submit">Close</button></form></div></dialog>`;

/** GET of the shortcuts, for browsers without script. */
export const showKeyboard = (): DashboardPage => ({ title, main: list });
