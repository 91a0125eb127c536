import { okResult } from '@app/contracts/common';
import type { Operation } from '../../api/operation.ts';
import { accountExamples } from './accounts.ts';
import { affiliateExamples } from './affiliates.ts';
import { automationExamples } from './automations.ts';
import { checkoutExamples } from './checkouts.ts';
import { customerExamples } from './customers.ts';
import { dailyExamples } from './daily-runs.ts';
import { deliveryExamples } from './deliveries.ts';
import { endpointExamples } from './endpoints.ts';
import { metricsExamples } from './metrics.ts';
import { orderExamples } from './orders.ts';
import { paymentExamples } from './payments.ts';
import { portalExamples } from './portal.ts';
import { productExamples } from './products.ts';
import { refundExamples } from './refunds.ts';
import { subscriptionExamples } from './subscriptions.ts';
import { withdrawalExamples } from './withdrawals.ts';

interface Example {
  readonly body?: unknown;
  readonly response?: unknown;
}

/** The deployment that examples name; the document has its own address in its place. */
const exampleUrl = 'http://127.0.0.1:3000';

const examples: Readonly<Record<string, Example>> = {
  ...accountExamples,
  ...affiliateExamples,
  ...automationExamples,
  ...checkoutExamples,
  ...customerExamples,
  ...dailyExamples,
  ...deliveryExamples,
  ...endpointExamples,
  ...metricsExamples,
  ...orderExamples,
  ...paymentExamples,
  ...portalExamples,
  ...productExamples,
  ...refundExamples,
  ...subscriptionExamples,
  ...withdrawalExamples,
};

/** A body and a response of the operation, of the deployment at `baseUrl`; a test parses both with the operation's schemas. */
export function exampleOf({ id, response }: Operation, baseUrl: string): Example {
  const found = { ...(response === okResult && { response: { ok: true } }), ...examples[id] };
  return JSON.parse(JSON.stringify(found).replaceAll(exampleUrl, baseUrl));
}
