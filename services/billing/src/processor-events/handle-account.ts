import { checkAccountState } from '../daily-run/check-account-state.ts';
import type { EventHandling } from './event-deps.ts';

/** Whether Stripe takes payments for the account is read anew. Test mode takes test cards whatever becomes of it. */
export const accounts: EventHandling = {
  objectKind: 'account',
  types: ['account.updated'],
  handle: async (deps, { account_id, test }) => {
    if (!test) await checkAccountState(deps, account_id);
    return 'done';
  },
};
