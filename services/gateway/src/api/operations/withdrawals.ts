import { invalidField } from '@app/contracts/validation';
import {
  closeWithdrawal,
  confirmWithdrawal,
  listWithdrawals,
  requestWithdrawal,
  type WithdrawalBody,
  withdrawalBody,
} from '@app/contracts/withdrawals';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, type OperationCall, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

const ofVisitor = {
  auth: 'visitor',
  method: 'POST',
  body: withdrawalBody,
  errors: ['not_allowed_by_seller'],
} as const;

type DeclareCall = OperationCall<unknown, unknown, WithdrawalBody>;

/** Declaring is for buyers’ pages: no tool does it. What sellers do with a withdrawal is theirs. */
export const withdrawalOperations = tagged('Withdrawals', [
  defineOperation({
    ...ofVisitor,
    id: 'requestWithdrawal',
    path: '/api/withdrawals',
    summary: 'Get the words of a withdrawal from a contract',
    description: 'For the page that shows them before they are declared by `confirmWithdrawal`. Nothing is stored.',
    response: requestWithdrawal.output,
    changesNothing: true,
    run: async (call) => {
      const { body, ofSeller } = await declaredTo(call);
      return await call.app.requester.requestBytes(requestWithdrawal, { body }, ofSeller);
    },
  }),
  defineOperation({
    ...ofVisitor,
    id: 'confirmWithdrawal',
    path: '/api/withdrawals/confirm',
    summary: 'Withdraw from a contract',
    description:
      'Without a key, from any origin. The answer is the acknowledgement, and goes to `email` too; it is the same, after the same ' +
      'time, whether or not there is such an order. It says that the statement was received, and decides nothing. A repeat ' +
      'about the same purchase from the same address changes nothing. A client declares twenty a day.',
    response: confirmWithdrawal.output,
    idempotencyScope: ({ body }) => body.handle,
    isIdempotent: true,
    run: async (call) => {
      const { body, ofSeller } = await declaredTo(call);
      await call.app.letters.countWithdrawal(call.address);
      return await call.app.requester.requestBytes(confirmWithdrawal, { body }, ofSeller);
    },
  }),
  forwardOperation(listWithdrawals, {
    id: 'listWithdrawals',
    method: 'GET',
    path: '/api/v1/withdrawals',
    summary: 'List withdrawals from contracts, newest first',
    description:
      'What buyers, or whoever gave a name, declared on the shop’s page, with the order that was found for it. Names, addresses ' +
      'and what was bought are as they were typed. Those of test orders are among them, marked by `test`.',
    errors: [],
  }),
  forwardOperation(closeWithdrawal, {
    id: 'closeWithdrawal',
    audit: 'withdrawal',
    alsoScope: 'read',
    method: 'POST',
    path: '/api/v1/withdrawals/{withdrawalId}/close',
    summary: 'Accept or decline a withdrawal',
    description:
      'Moves no money: after `accepted`, `previewRefund` and `refundOrder` give it back, end the subscription and void the ' +
      'commission. After `declined` the answer goes to the address of the withdrawal by email. The same end again answers the same.',
    params: z.object({ withdrawalId: pathId('withdrawal', 'withdrawal_not_found') }),
    errors: ['withdrawal_not_found', 'invalid_transition'],
  }),
]);

/** What is declared, and the seller whom the handle names. */
async function declaredTo({ app, body: { handle, ...body }, context }: DeclareCall) {
  const seller = await app.sellers.find(handle);
  if (seller === null) throw invalidField('handle', 'must be the handle of a seller', 'unknown_value');
  return { body, ofSeller: { ...context, accountId: seller.accountId } };
}
