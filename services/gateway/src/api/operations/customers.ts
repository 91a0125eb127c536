import { getCustomer, listCustomers } from '@app/contracts/customers';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

export const customerOperations = tagged('Customers', [
  forwardOperation(listCustomers, {
    id: 'listCustomers',
    method: 'GET',
    path: '/api/v1/customers',
    summary: 'List customers, newest first',
    description:
      'Who bought, by the first purchase: one customer for each mailbox, however it was spelled. Test purchases make none. The ' +
      'latest 100; with `limit` or `before` it pages back, and says whether more follow. In `q` a text with an @ is an email ' +
      'address, and one that has the form of a customer’s id is that; any other is how a name on an order begins.',
    errors: [],
  }),
  forwardOperation(getCustomer, {
    id: 'getCustomer',
    method: 'GET',
    path: '/api/v1/customers/{customerId}',
    summary: 'Read one customer',
    description:
      '`listOrders` with the email as `q`, and `listSubscriptions` with it as `email`, have what was bought.',
    params: z.object({ customerId: pathId('customer', 'customer_not_found') }),
    errors: ['customer_not_found'],
  }),
]);
