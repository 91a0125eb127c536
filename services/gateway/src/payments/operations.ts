import { getPaymentProcessor, listPayments, putPaymentProcessor } from '@app/contracts/payments';
import { forwardOperation } from '../operations/forward-operation.ts';

const tag = 'Payments';

export const paymentOperations = [
  forwardOperation(listPayments, {
    id: 'listPayments',
    method: 'GET',
    path: '/api/v1/payments',
    tag,
    summary: 'List every try to move money, newest first',
    description:
      'What was tried for which order, what the processor said to it, and what happens next. The latest 100. With ' +
      '`limit` or `before` it pages back, and says whether more follow.',
    errors: [],
  }),
  forwardOperation(getPaymentProcessor, {
    id: 'getPaymentProcessor',
    method: 'GET',
    path: '/api/v1/payment-processor',
    tag,
    summary: 'Which processor charges buyers',
    scope: 'money',
    errors: [],
  }),
  forwardOperation(putPaymentProcessor, {
    id: 'putPaymentProcessor',
    method: 'PUT',
    path: '/api/v1/payment-processor',
    tag,
    summary: 'Choose the processor',
    description: 'Secrets are stored sealed and never shown again.',
    scope: 'money',
    errors: [],
  }),
];
