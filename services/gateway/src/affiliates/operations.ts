import {
  affiliateResource,
  commissionResource,
  createAffiliate,
  createAffiliateBody,
  listAffiliates,
  listCommissions,
  updateAffiliate,
  updateAffiliateBody,
} from '@app/contracts/affiliates';
import { listOf } from '@app/contracts/common';
import { z } from 'zod';
import { defineOperation } from '../http/operation.ts';
import { pathCode } from '../http/path-params.ts';

const tag = 'Affiliates';
const params = z.object({ code: pathCode('affiliate_not_found') });

export const affiliateOperations = [
  defineOperation({
    id: 'listAffiliates',
    method: 'GET',
    path: '/api/v1/affiliates',
    tag,
    summary: 'List partners, newest first',
    auth: 'account',
    scope: 'read',
    query: listAffiliates.input,
    response: listOf(affiliateResource),
    errors: [],
    run: ({ app, query, context }) => app.requester.requestBytes(listAffiliates, query, context),
  }),
  defineOperation({
    id: 'createAffiliate',
    method: 'POST',
    path: '/api/v1/affiliates',
    tag,
    summary: 'Add a partner',
    auth: 'account',
    scope: 'write',
    body: createAffiliateBody,
    response: affiliateResource,
    errors: ['code_taken', 'limit_reached'],
    run: ({ app, body, context }) => app.requester.requestBytes(createAffiliate, { body }, context),
  }),
  defineOperation({
    id: 'updateAffiliate',
    method: 'PATCH',
    path: '/api/v1/affiliates/{code}',
    tag,
    summary: 'Change a partner',
    auth: 'account',
    scope: 'write',
    params,
    body: updateAffiliateBody,
    response: affiliateResource,
    errors: ['affiliate_not_found'],
    run: ({ app, params, body, context }) => app.requester.requestBytes(updateAffiliate, { ...params, body }, context),
  }),
  defineOperation({
    id: 'listCommissions',
    method: 'GET',
    path: '/api/v1/affiliates/{code}/commissions',
    tag,
    summary: 'List a partner’s commissions, newest first',
    auth: 'account',
    scope: 'read',
    params,
    query: listCommissions.input.omit({ code: true }),
    response: listOf(commissionResource),
    errors: ['affiliate_not_found'],
    run: ({ app, params, query, context }) =>
      app.requester.requestBytes(listCommissions, { ...params, ...query }, context),
  }),
];
