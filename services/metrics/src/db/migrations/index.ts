import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { RollupGenerations } from './0004-rollup-generations.ts';
import { Products } from './0005-products.ts';
import { RefundsAndVisits } from './0006-refunds-and-visits.ts';
import { Renewals } from './0007-renewals.ts';
import { ExplainedFacts } from './0008-explained-facts.ts';
import { Marks } from './0009-marks.ts';
import { ProductDays } from './0010-product-days.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  eventTriesMigration,
  { name: '0004-rollup-generations', class: RollupGenerations },
  { name: '0005-products', class: Products },
  { name: '0006-refunds-and-visits', class: RefundsAndVisits },
  { name: '0007-renewals', class: Renewals },
  { name: '0008-explained-facts', class: ExplainedFacts },
  { name: '0009-marks', class: Marks },
  { name: '0010-product-days', class: ProductDays },
];
