import { createAffiliate, listAffiliates, listCommissions, updateAffiliate } from '@app/contracts/affiliates';
import { z } from 'zod';
import { forwardOperation } from '../operations/forward-operation.ts';
import { pathCode } from '../operations/path-params.ts';

const tag = 'Affiliates';
const params = z.object({ code: pathCode('affiliate_not_found') });

export const affiliateOperations = [
  forwardOperation(listAffiliates, {
    id: 'listAffiliates',
    method: 'GET',
    path: '/api/v1/affiliates',
    tag,
    summary: 'List affiliates, newest first',
    errors: [],
  }),
  forwardOperation(createAffiliate, {
    id: 'createAffiliate',
    method: 'POST',
    path: '/api/v1/affiliates',
    tag,
    summary: 'Add an affiliate',
    errors: ['code_taken', 'limit_reached'],
  }),
  forwardOperation(updateAffiliate, {
    id: 'updateAffiliate',
    method: 'PATCH',
    path: '/api/v1/affiliates/{code}',
    tag,
    summary: 'Change an affiliate',
    params,
    errors: ['affiliate_not_found'],
  }),
  forwardOperation(listCommissions, {
    id: 'listCommissions',
    method: 'GET',
    path: '/api/v1/affiliates/{code}/commissions',
    tag,
    summary: 'List an affiliate’s commissions, newest first',
    params,
    errors: ['affiliate_not_found'],
  }),
];
