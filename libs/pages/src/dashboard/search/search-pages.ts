import { pageOfId } from '../frame/addresses.ts';
import { onTo } from '../frame/answers.ts';
import { filterOf } from '../frame/filters.ts';
import { showKeyboard } from '../frame/keyboard.ts';
import type { Answer, Pages, Visit } from '../frame/visit.ts';
import { find } from './find.ts';
import { searchPage } from './search-page.ts';

/** GET of a search: an id leads to its page. */
async function search(visit: Visit): Promise<Answer> {
  const text = filterOf(visit, 'q');
  if (text === undefined) return searchPage('', null, visit.formats);
  const page = pageOfId(text);
  return page === undefined ? searchPage(text, await find(visit, text), visit.formats) : onTo(page);
}

export const searchPages: Pages = { '/app/search': { show: search }, '/app/keyboard': { show: showKeyboard } };
