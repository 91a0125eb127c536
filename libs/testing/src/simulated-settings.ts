import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { onRequest } from '@app/messaging/serve-requests';

/** Billing's reply to every account: the simulated processor, and no keys of another. */
export const onSimulatedSettings = onRequest(getPaymentProcessor, async () => ({
  processor: 'simulated' as const,
  secrets: [],
  updated_at: null,
  version: 1,
  stripe: null,
}));
