import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { stripeOrigin } from './stripe-js.ts';

const page = (
  baseUrl: string,
): string => `<!doctype html><html lang="en"><title>Own page</title><link rel="icon" href="data:,">
<div id="fields"></div><button>Buy</button><p id="said"></p>
<script src="${stripeOrigin}/endive/stripe.js"></script>
<script>
async function sell(wish) {
  const address = '${baseUrl}/api/checkout';
  const send = async (url, method, secret, body) => {
    const headers = { 'content-type': 'application/json', 'x-checkout-secret': secret };
    return await (await fetch(url, { method, headers, body: body && JSON.stringify(body) })).json();
  };
  const { id, secret } = await send(address, 'POST', '', wish);
  const call = (method, path, body) => send(address + '/' + id + path, method, secret, body);
  const checkout = await call('GET', '');
  const stripe = Stripe(checkout.publishableKey);
  const elements = stripe.elements({ mode: 'payment', amount: checkout.totalCents, currency: checkout.currency });
  elements.create('payment', {}).mount(document.querySelector('#fields'));
  document.querySelector('button').onclick = async () => {
    await elements.submit();
    const { confirmationToken } = await stripe.createConfirmationToken({ elements });
    await call('POST', '/pay', { paymentMethod: confirmationToken.id, confirmsByScript: true });
    const { clientSecret } = await call('POST', '/continue', {});
    await stripe.handleNextAction({ clientSecret });
    const { status } = await call('POST', '/continue', {});
    document.querySelector('#said').textContent = 'It is ' + status + '.';
  };
}
</script></html>`;

/** Serves a seller's own page, from another origin than the platform's, until the test ends. @returns its address */
export async function serveOwnPage(baseUrl: string): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(page(baseUrl));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
