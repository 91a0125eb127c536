import { affiliateOperations } from '../affiliates/operations.ts';
import { apiKeyOperations } from '../api-keys/operations.ts';
import { automationOperations } from '../automations/operations.ts';
import { checkoutOperations } from '../checkouts/operations.ts';
import { dailyOperations } from '../daily/operations.ts';
import { letterOperations } from '../letter-links/operations.ts';
import { metricsOperations } from '../metrics/operations.ts';
import type { Operation } from '../operations/operation.ts';
import { orderOperations } from '../orders/operations.ts';
import { paymentOperations } from '../payments/operations.ts';
import { discountOperations } from '../products/discount-operations.ts';
import { funnelOperations } from '../products/funnel-operations.ts';
import { productOperations } from '../products/operations.ts';
import { rehearsalOperations } from '../rehearsals/operations.ts';
import { sessionOperations } from '../sessions/operations.ts';
import { settingsOperations } from '../settings/operations.ts';
import { subscriptionOperations } from '../subscriptions/operations.ts';
import { deliveryOperations } from '../webhooks/delivery-operations.ts';
import { endpointOperations } from '../webhooks/endpoint-operations.ts';
import { recoveryOperations } from '../webhooks/recovery-operations.ts';
import { testSendOperations } from '../webhooks/test-send-operations.ts';

/** Everything the product does over HTTP, in the order of the developer pages. */
export const operations: readonly Operation[] = [
  ...productOperations,
  ...funnelOperations,
  ...discountOperations,
  ...orderOperations,
  ...paymentOperations,
  ...checkoutOperations,
  ...subscriptionOperations,
  ...affiliateOperations,
  ...metricsOperations,
  ...endpointOperations,
  ...testSendOperations,
  ...deliveryOperations,
  ...recoveryOperations,
  ...automationOperations,
  ...dailyOperations,
  ...rehearsalOperations,
  ...settingsOperations,
  ...apiKeyOperations,
  ...sessionOperations,
  ...letterOperations,
];
