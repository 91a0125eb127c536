import {
  oneOf,
  type Preview,
  type PreviewDefinition,
  type PreviewedCall,
  type ResultOf,
  withoutAmount,
} from './preview.ts';

/** What is deleted or archived. */
export const removalPreviews: Readonly<Record<string, PreviewDefinition>> = {
  updateProduct: withoutAmount(archive),
  deleteProductImage: withoutAmount(productImage),
  deleteLogo: withoutAmount(logo),
  deleteBump: withoutAmount(offer('bumps')),
  deleteUpsell: withoutAmount(offer('upsells')),
  deleteBumpImage: withoutAmount(offerImage('bumps')),
  deleteUpsellImage: withoutAmount(offerImage('upsells')),
  deleteFunnelEmail: withoutAmount(funnelEmail),
  deleteDiscount: withoutAmount(discount),
  deleteWebhookEndpoint: withoutAmount(async ({ read }) => endpointRemoval(await read('getWebhookEndpoint'))),
  removeWebhookEndpoint: withoutAmount(async ({ params, read }) =>
    endpointRemoval(await read('readWebhookEndpoint', params)),
  ),
  deleteAutomation: withoutAmount(automation),
  revokeApiKey: withoutAmount(apiKey),
};

async function archive({ params, body, read }: PreviewedCall): Promise<Preview | null> {
  if (body.status !== 'archived') return null;
  const { name, slug, status } = await read('getProduct', params);
  if (status === 'archived') return null;
  return {
    detail:
      'The product can no longer be bought; its subscriptions go on renewing. With status: live it is on sale again.',
    facts: { name, slug, status },
  };
}

async function productImage({ params, read }: PreviewedCall): Promise<Preview> {
  const { name } = await read('getProduct', params);
  return { detail: 'The picture on the product’s page is deleted.', facts: { product: name } };
}

async function logo({ read }: PreviewedCall): Promise<Preview> {
  const { logoUrl } = await read('getSettings');
  return { detail: 'The logo on the hosted pages is deleted.', facts: { logoUrl } };
}

const forGood = 'It cannot be undone; orders keep what was bought.';

function offer(kind: 'bumps' | 'upsells') {
  return async ({ params: { productId, offerId }, read }: PreviewedCall): Promise<Preview> => {
    const funnel = await read('getFunnel', { productId });
    const { headline, price_cents, active } = oneOf(funnel[kind], offerId, 'offer_not_found');
    return { detail: `The ${kind.slice(0, -1)} is deleted. ${forGood}`, facts: { headline, price_cents, active } };
  };
}

function offerImage(kind: 'bumps' | 'upsells') {
  return async ({ params: { productId, offerId }, read }: PreviewedCall): Promise<Preview> => {
    const funnel = await read('getFunnel', { productId });
    const { headline } = oneOf(funnel[kind], offerId, 'offer_not_found');
    return { detail: `The picture of the ${kind.slice(0, -1)} is deleted.`, facts: { headline } };
  };
}

async function funnelEmail({ params: { productId, emailId }, read }: PreviewedCall): Promise<Preview> {
  const funnel = await read('getFunnel', { productId });
  const { position, send_day, subject } = oneOf(funnel.emails, emailId, 'email_not_found');
  return {
    detail: 'The email is deleted, with its text. It cannot be undone.',
    facts: { position, send_day, subject },
  };
}

async function discount({ params: { productId, discountId }, read }: PreviewedCall): Promise<Preview> {
  const { data } = await read('listDiscounts', { productId });
  const { code, percent_off, amount_off_cents, uses } = oneOf(data, discountId, 'discount_not_found');
  return {
    detail: `The discount code is deleted: buyers can no longer use it. ${forGood}`,
    facts: { code, percent_off, amount_off_cents, uses },
    agreed: { code, percent_off, amount_off_cents },
  };
}

function endpointRemoval({ url, description, active, held }: ResultOf<'readWebhookEndpoint'>): Preview {
  return {
    detail:
      'The webhook endpoint is deleted, with its signing secret. What waits for it is canceled. It cannot be undone.',
    facts: { url, description, active, held },
    agreed: { url, description, active },
  };
}

/** Of all keys: the list has revoked ones too, and is read page by page. */
async function keyOf(keyId: string | undefined, read: PreviewedCall['read']) {
  for (let query: { readonly limit: number; readonly before?: string } = { limit: 100 }; ; ) {
    const { data, has_more } = await read('listApiKeys', {}, query);
    const before = data.at(-1)?.id;
    if (has_more !== true || before === undefined || data.some(({ id }) => id === keyId))
      return oneOf(data, keyId, 'api_key_not_found');
    query = { limit: 100, before };
  }
}

async function apiKey({ params: { keyId }, read }: PreviewedCall): Promise<Preview> {
  const { name, last_used_at } = await keyOf(keyId, read);
  return {
    detail: 'The API key stops working at once. It cannot be undone.',
    facts: { name, last_used_at },
    agreed: { name },
  };
}

async function automation({ params, read }: PreviewedCall): Promise<Preview> {
  const { name, event, action, active } = await read('getAutomation', params);
  return {
    detail: 'The automation is deleted. What it has not sent yet is dropped. It cannot be undone.',
    facts: { name, event, active, action: shortAction(action) },
  };
}

export interface Action {
  readonly type?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly url?: string;
}

/** Where an automation sends to, without its text. */
export const shortAction = ({ type, to, subject, url }: Action) =>
  type === 'post' ? { type, url } : { type, to, subject };
