/** What Stripe adds to the address that a bank sends a buyer back to. A client secret is the right to a payment. */
const ofStripe = [
  'payment_intent',
  'payment_intent_client_secret',
  'setup_intent',
  'setup_intent_client_secret',
  'redirect_status',
  'source_redirect_slug',
];

/** The address without what Stripe added to it; null where it added nothing. @param url path and query */
export function withoutSecretsOfBank(url: string): string | null {
  const [path = ''] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path.length));
  if (!ofStripe.some((name) => parameters.has(name))) return null;
  for (const name of ofStripe) parameters.delete(name);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
