import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { AnnounceProducts } from './0004-announce-products.ts';
import { ProductPages } from './0005-product-pages.ts';
import { ProductImages } from './0006-product-images.ts';
import { Versions } from './0007-versions.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  eventTriesMigration,
  { name: '0004-announce-products', class: AnnounceProducts },
  { name: '0005-product-pages', class: ProductPages },
  { name: '0006-product-images', class: ProductImages },
  { name: '0007-versions', class: Versions },
];
