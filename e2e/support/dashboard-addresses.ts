/** Where the ids stand in addresses of the dashboard. */
const pageIds: readonly (readonly [start: string, id: string])[] = [
  ['/app/orders/customers/', 'customerId'],
  ['/app/orders/', 'orderId'],
  ['/app/products/', 'productId'],
  ['/app/metrics/', 'productId'],
  ['/app/subscriptions/', 'subscriptionId'],
  ['/app/activity/deliveries/', 'deliveryId'],
  ['/app/daily-job/runs/', 'runId'],
  ['/app/integrations/keys/', 'keyId'],
  ['/app/integrations/webhooks/', 'endpointId'],
  ['/app/integrations/automations/', 'automationId'],
  ['/app/integrations/recoveries/', 'recoveryId'],
  ['/app/affiliates/code/', 'code'],
];

/**
 * The address of a page of the dashboard.
 * @param pattern as in `dashboardPages`
 * @param of the ids that an account was furnished with
 */
export function pageAt(pattern: string, of: Readonly<Record<string, string>>): string {
  const [, name = ''] = pageIds.find(([start]) => pattern.startsWith(start)) ?? [];
  const known: Readonly<Record<string, string | undefined>> = {
    metric: 'orders',
    productId: of.productId,
    bumpId: of.bumpId,
    upsellId: of.upsellId,
    offerId: pattern.includes('/upsells/') ? of.upsellId : of.bumpId,
    emailId: of.emailId,
    discountId: of.discountId,
  };
  return pattern.replaceAll(/:(\w+)/g, (_, param: string) => {
    const id = known[param] ?? of[name];
    if (id === undefined) throw new Error(`no id for ${pattern}`);
    return id;
  });
}
