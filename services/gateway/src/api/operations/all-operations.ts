import type { Operation } from '../operation.ts';
import { affiliateOperations } from './affiliates.ts';
import { apiKeyOperations } from './api-keys.ts';
import { auditLogOperations } from './audit-log.ts';
import { automationOperations } from './automations.ts';
import { checkoutOperations } from './checkouts.ts';
import { customerOperations } from './customers.ts';
import { dailyOperations } from './daily-runs.ts';
import { deliveryOperations } from './deliveries.ts';
import { discountOperations } from './discounts.ts';
import { endpointOperations } from './endpoints.ts';
import { exportOperations } from './exports.ts';
import { factorOperations } from './factors.ts';
import { funnelOperations } from './funnels.ts';
import { imageOperations } from './images.ts';
import { letterOperations } from './letters.ts';
import { metricsOperations } from './metrics.ts';
import { offerOperations } from './offers.ts';
import { optOutOperations } from './opt-outs.ts';
import { orderOperations } from './orders.ts';
import { paymentOperations } from './payments.ts';
import { portalOperations } from './portal.ts';
import { portalLinkOperations } from './portal-links.ts';
import { productOperations } from './products.ts';
import { recoveryOperations } from './recoveries.ts';
import { rehearsalOperations } from './rehearsals.ts';
import { sessionOperations } from './sessions.ts';
import { settingsOperations } from './settings.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { withdrawalOperations } from './withdrawals.ts';

const list = [
  ...productOperations,
  ...imageOperations,
  ...funnelOperations,
  ...discountOperations,
  ...orderOperations,
  ...customerOperations,
  ...exportOperations,
  ...paymentOperations,
  ...offerOperations,
  ...checkoutOperations,
  ...optOutOperations,
  ...withdrawalOperations,
  ...subscriptionOperations,
  ...portalOperations,
  ...portalLinkOperations,
  ...affiliateOperations,
  ...metricsOperations,
  ...endpointOperations,
  ...deliveryOperations,
  ...recoveryOperations,
  ...automationOperations,
  ...dailyOperations,
  ...rehearsalOperations,
  ...settingsOperations,
  ...apiKeyOperations,
  ...auditLogOperations,
  ...sessionOperations,
  ...factorOperations,
  ...letterOperations,
];

/** Everything the product does over HTTP, in the order of the developer pages. */
export const operations: readonly Operation[] = list;

type Listed = (typeof list)[number];
type OperationsById = { readonly [Each in Listed as Each['id']]: NonNullable<Each['types']> };

declare module '@app/pages/call' {
  interface Operations extends OperationsById {}
}
