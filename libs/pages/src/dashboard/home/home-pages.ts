import type { Pages } from '../frame/visit.ts';
import { showHome } from './home.ts';

export const homePages: Pages = { '/app': { show: showHome } };
