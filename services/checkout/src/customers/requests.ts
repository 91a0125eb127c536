import * as contract from '@app/contracts/customers';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { getCustomer } from './get-customer.ts';
import { listCustomers } from './list-customers.ts';
import type { CustomerDeps } from './read-customers.ts';

export const customerRequests = (deps: CustomerDeps): RequestHandler[] => [
  onRequest(contract.listCustomers, (query, context) => listCustomers(deps, context, query)),
  onRequest(contract.getCustomer, ({ customerId }, context) => getCustomer(deps, context, customerId)),
];
