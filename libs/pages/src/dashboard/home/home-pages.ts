import type { Pages } from '../frame/visit.ts';
import { showHome, showLiveHome } from './home.ts';
import { homePath, livePath } from './home-page.ts';

export const homePages: Pages = {
  [homePath]: { show: showHome },
  [livePath]: { show: showLiveHome, partOf: homePath },
};
