import type { Pages } from '../frame/visit.ts';
import { showBusiness, takeBusiness } from './business.ts';

export const settingsPages: Pages = { '/app/settings': { show: showBusiness, take: takeBusiness } };
