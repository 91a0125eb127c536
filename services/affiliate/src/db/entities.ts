import { Affiliate } from '../affiliates/affiliate.entity.ts';

/** Partners are edited; commissions flow: those are written and read by plain statements, many at a time. */
export const entities = [Affiliate];
