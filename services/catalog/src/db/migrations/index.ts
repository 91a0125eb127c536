import { waitingLettersMigration } from '@app/messaging/migrations';
import { installationMigration } from '@app/service-kit/installation';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { WhatOffersDeliver } from './0004-what-offers-deliver.ts';
import { EarlierSlugs } from './0005-earlier-slugs.ts';
import { LooksOfOffers } from './0006-looks-of-offers.ts';
import { ListedProducts } from './0007-listed-products.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  waitingLettersMigration,
  installationMigration,
  { name: '0004-what-offers-deliver', class: WhatOffersDeliver },
  { name: '0005-earlier-slugs', class: EarlierSlugs },
  { name: '0006-looks-of-offers', class: LooksOfOffers },
  { name: '0007-listed-products', class: ListedProducts },
];
