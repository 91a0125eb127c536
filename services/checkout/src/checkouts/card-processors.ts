import { type CardProcessor, cardProcessorOf, getPaymentProcessor } from '@app/contracts/payment-processors';
import type { Requester } from '@app/messaging/requester';
import { LookupCache } from '@app/service-kit/lookup-cache';
import { isOutage } from '@app/service-kit/outages';

/** Null while billing cannot say it. */
export type CardProcessorOf = (accountId: string, test: boolean) => Promise<CardProcessor | null>;

/** No buyer's page waits longer for what it could request again. */
const waitMs = 1_000;

/** With what an account takes cards, requested of billing and cached for a moment. @param test of a rehearsal */
export function createCardProcessors(requester: Requester): CardProcessorOf {
  const chosen = new LookupCache(
    (accountId: string) =>
      requester.request(getPaymentProcessor, {}, { accountId, requestId: '', deadlineMs: Date.now() + waitMs }),
    { keepsMisses: false },
  );
  return async (accountId, test) => {
    try {
      const found = await chosen.find(accountId);
      return found === null ? null : cardProcessorOf(found, test);
    } catch (err) {
      if (isOutage(err)) return null;
      throw err;
    }
  };
}
