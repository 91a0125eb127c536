import type { ProductUrls } from '@app/contracts/products';
import { productUrlsOf } from '../edge/public-urls.ts';
import type { Caller } from './forward-operation.ts';

/** Where products are shown and sold, which catalog does not know. */
export const urlsFor = ({ baseUrl, actor }: Caller): ProductUrls => productUrlsOf(baseUrl, actor.settings.handle);
