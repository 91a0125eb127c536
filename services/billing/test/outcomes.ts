import { replicas } from './set-up.ts';

/** Attempts of the account's payments whose outcome was reported: number, status, and why one was declined. */
export const completed = async (accountId: string) =>
  (await replicas.events(accountId))
    .filter(({ subject }) => subject === 'evt.billing.payment.completed.v1')
    .map(({ data }) => [data.attemptNo, data.status, data.reason]);

/** The charges of the account that the processor has taken. */
export const charged = async (accountId: string) =>
  (await replicas.books(accountId)).filter(({ kind, status }) => kind === 'charge' && status === 'succeeded');
