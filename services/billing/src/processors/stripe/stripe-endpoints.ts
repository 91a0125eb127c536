import type Stripe from 'stripe';
import type { ProcessorCall } from '../port.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';
import { accountMetadata, isMadeFor } from './stripe-objects.ts';

/** Events come in the shapes of this version. The type is the package's own, so that a new version of it must be named here. */
export const apiVersion: typeof Stripe.API_VERSION = '2026-10-28.endive';

export type EventType = Stripe.WebhookEndpointCreateParams.EnabledEvent;

/** Where Stripe sends which events. */
export interface WantedEndpoint {
  readonly url: string;
  readonly events: readonly EventType[];
}

export interface ListedEndpoint {
  readonly id: string;
  /** It was made for our account, by this deployment or by another one; false for one that the seller made. */
  readonly isMadeForUs: boolean;
  readonly url: string;
  readonly events: readonly string[];
  readonly apiVersion: string | null;
  /** Stripe switches endpoints off that fail for days. */
  readonly isEnabled: boolean;
}

/** Webhook endpoints of the Stripe account that the call's key is of. All throw NothingDoneError and StripeAnswerError. */
export interface StripeEndpoints {
  list(call: ProcessorCall): Promise<readonly ListedEndpoint[]>;
  /**
   * @param key the idempotency key: one for each creation that is meant
   * @returns its signing secret too, which Stripe says this once
   */
  create(call: ProcessorCall, key: string, wanted: WantedEndpoint): Promise<{ id: string; secret: string }>;
  /** Gives it this address and these events, and switches it on. */
  update(call: ProcessorCall, id: string, wanted: WantedEndpoint): Promise<void>;
  /** Also of one that is gone. */
  delete(call: ProcessorCall, id: string): Promise<void>;
}

/** Stripe allows 16 in each mode. */
const listed = { limit: 100 };

export function createStripeEndpoints(link: StripeLink): StripeEndpoints {
  return {
    list: async (call) => {
      const { data } = await link.read(call, (stripe, options) => stripe.webhookEndpoints.list(listed, options));
      return data.map(({ id, url, metadata, enabled_events: events, api_version: apiVersion, status }) => {
        const isMadeForUs = isMadeFor(call, metadata);
        return { id, url, isMadeForUs, events, apiVersion, isEnabled: status === 'enabled' };
      });
    },
    create: async (call, key, { url, events }) => {
      const parameters = {
        url,
        enabled_events: [...events],
        api_version: apiVersion,
        metadata: accountMetadata(call),
      };
      const { id, secret } = await link.send(call, key, (stripe, options) =>
        stripe.webhookEndpoints.create(parameters, options),
      );
      if (secret === undefined) throw new Error('Stripe did not say the secret of an endpoint that it made');
      return { id, secret };
    },
    update: async (call, id, { url, events }) => {
      const parameters = { url, enabled_events: [...events], disabled: false };
      await link.send(call, undefined, (stripe, options) => stripe.webhookEndpoints.update(id, parameters, options));
    },
    delete: async (call, id) => {
      try {
        await link.send(call, undefined, (stripe, options) => stripe.webhookEndpoints.del(id, {}, options));
      } catch (err) {
        if (!(err instanceof StripeAnswerError) || err.code !== 'resource_missing') throw err;
      }
    },
  };
}
