import {
  createAffiliate,
  createPayout,
  getAffiliate,
  getStatement,
  listAffiliates,
  listCommissions,
  listPayouts,
  updateAffiliate,
} from '@app/contracts/affiliates';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathCode } from '../path-params.ts';
import { queryBoolean } from '../query-boolean.ts';

const params = z.object({ code: pathCode('affiliate_not_found') });

export const affiliateOperations = tagged('Affiliates', [
  forwardOperation(listAffiliates, {
    id: 'listAffiliates',
    method: 'GET',
    path: '/api/v1/affiliates',
    summary: 'List affiliates, newest first',
    description:
      'Each with what is pending, due and paid, by currency. The latest 100; with `limit` or `before` it pages back, and says whether more follow.',
    errors: [],
  }),
  forwardOperation(createAffiliate, {
    id: 'createAffiliate',
    audit: false,
    method: 'POST',
    path: '/api/v1/affiliates',
    summary: 'Add an affiliate',
    description:
      'Sales that name its `code` credit it: with a percentage of the sale or a fixed amount, and with the renewals of `renewalMonths` months.',
    errors: ['code_taken', 'limit_reached'],
  }),
  forwardOperation(getAffiliate, {
    id: 'getAffiliate',
    method: 'GET',
    path: '/api/v1/affiliates/{code}',
    summary: 'Read one affiliate',
    description: 'With what is pending, due and paid, by currency.',
    params,
    errors: ['affiliate_not_found'],
  }),
  forwardOperation(updateAffiliate, {
    id: 'updateAffiliate',
    audit: false,
    method: 'PATCH',
    path: '/api/v1/affiliates/{code}',
    summary: 'Change an affiliate',
    description: 'Commissions on earlier sales, and on the renewals of those, stay with the terms of the sale.',
    params,
    errors: ['affiliate_not_found'],
  }),
  forwardOperation(listCommissions, {
    id: 'listCommissions',
    method: 'GET',
    path: '/api/v1/affiliates/{code}/commissions',
    summary: 'List an affiliate’s commissions, newest first',
    description:
      'A commission is `pending` until `due_at`, then `due` until a payout pays it; the refund of its order voids it. When ' +
      'it was paid before, a `clawback` with the opposite amount goes into the next payout.',
    params,
    errors: ['affiliate_not_found'],
  }),
  forwardOperation(getStatement, {
    id: 'getAffiliateStatement',
    method: 'GET',
    path: '/api/v1/affiliates/{code}/statement',
    summary: 'Read an affiliate’s statement: what was earned, taken back and paid, newest first',
    description:
      'From the ledger, with what was owed after each line; `balances` say what is pending, due and paid now.',
    params,
    errors: ['affiliate_not_found'],
  }),
  defineOperation({
    id: 'createPayout',
    audit: 'payout',
    method: 'POST',
    path: '/api/v1/affiliates/{code}/payouts',
    summary: 'Record a payout of everything that is due to an affiliate',
    description:
      'It moves no money: it marks commissions as paid, clawbacks taken off, and fires `affiliate.paid`. When several ' +
      'currencies have something to pay, `currency` names one.',
    auth: 'account',
    scope: 'money',
    params,
    query: z.object({
      includePending: queryBoolean.optional().describe('Pay commissions too whose hold is not over.'),
    }),
    body: createPayout.input.shape.body.optional(),
    response: createPayout.output,
    errors: ['affiliate_not_found', 'nothing_due', 'amount_changed'],
    run: ({ app, params: { code }, query: { includePending = false }, body = {}, context }) =>
      app.requester.requestBytes(createPayout, { code, includePending, body }, context),
  }),
  forwardOperation(listPayouts, {
    id: 'listPayouts',
    method: 'GET',
    path: '/api/v1/payouts',
    summary: 'List payouts, newest first',
    description:
      'Of all affiliates, or of the one that `code` names. The latest 100; with `limit` or `before` it pages back, and says whether more follow.',
    errors: [],
  }),
]);
