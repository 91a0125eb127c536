import { Affiliate } from '../affiliates/affiliate.entity.ts';

/** People edit affiliates, so the ORM maps them. Plain statements write and read commissions, many at a time. */
export const entities = [Affiliate];
