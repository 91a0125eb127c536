import type { StripeStandIn } from '@app/billing/stripe-stand-in';
import type { Visit } from '@app/testing/browser/visit';

type Page = Visit['page'];

/** Where Stripe's script and the frame of its fields come from. */
export const stripeOrigin = 'https://js.stripe.com';
/** What Stripe.js reaches from the page. */
export const stripeApiOrigin = 'https://api.stripe.com';

/** Stands in for Stripe.js: as much as pages use, with a field in a frame of Stripe's origin. */
const script = `
globalThis.stripeCalls = [];
let tokens = 0;
const awaited = [];
globalThis.nextCall = (name) => new Promise((resolve) => awaited.push({ name, resolve }));
const note = (made) => {
  stripeCalls.push(made);
  for (const { name, resolve } of awaited) if (name === made.call) resolve();
};
/** A wallet's sheet stays open until the test closes it. */
globalThis.closeSheet = () => undefined;
globalThis.Stripe = (key) => ({
  elements(options) {
    note({ call: 'elements', key, ...options });
    const listeners = {};
    let frame;
    let answered;
    const paint = (appearance) => {
      const { colorText = 'inherit' } = appearance?.variables ?? {};
      frame.src = '${stripeOrigin}/endive/fields#' + encodeURIComponent(colorText);
    };
    const elements = {
      number: '',
      update: (changes) => {
        note({ call: 'update', ...changes });
        paint(changes.appearance);
      },
      submit: async () => {
        // Wallets open a sheet only while the click that asks for it is handled.
        const sheet = new Promise((resolve) => (globalThis.closeSheet = resolve));
        note({ call: 'submit', during: globalThis.event?.type ?? null });
        await new Promise((resolve) => {
          answered = resolve;
          frame.contentWindow.postMessage('read', '*');
        });
        if (elements.number.endsWith('_pay')) await sheet;
        return elements.number === '' ? { error: { type: 'validation_error', message: 'incomplete' } } : {};
      },
      create: (type, of) => {
        note({ call: 'create', type, ...of });
        const read = ({ source, data }) => {
          if (source !== frame.contentWindow) return;
          elements.number = data.number;
          answered();
        };
        return {
          on: (name, listener) => (listeners[name] = listener),
          mount: (container) => {
            frame = document.createElement('iframe');
            frame.title = 'Secure payment input frame';
            paint(options.appearance);
            frame.style.cssText = 'display: block; border: 0; width: 100%; height: 164px';
            frame.onload = () => listeners.ready?.({});
            addEventListener('message', read);
            container.append(frame);
          },
          update: (changes) => note({ call: 'update-payment', ...changes }),
          destroy: () => {
            removeEventListener('message', read);
            frame.remove();
          },
        };
      },
    };
    return elements;
  },
  createConfirmationToken: async ({ elements }) => {
    if (elements.number === 'refused') return { error: { type: 'api_error', message: 'Stripe cannot read this card.' } };
    tokens += 1;
    return { confirmationToken: { id: 'ctoken_' + elements.number + '--' + Date.now() + '_' + tokens } };
  },
  handleNextAction: async ({ clientSecret }) => {
    note({ call: 'handleNextAction', key });
    const answer = await (await fetch('${stripeApiOrigin}/bank', { method: 'POST', body: clientSecret })).json();
    if (answer.redirect === undefined) return answer;
    location.href = answer.redirect;
    return await new Promise(() => undefined);
  },
});
`;
const fields = `<!doctype html><html lang="en"><title>Fields</title><style>
body { margin: 0; font: 14px/20px system-ui, sans-serif } label, input { display: block; width: 100%; color: inherit }
input { box-sizing: border-box; height: 44px; background: none; border: 1px solid #80868d; border-radius: 8px }</style>
<label>Card number <input></label><p></p>
<script>const input = document.querySelector('input');
const paint = () => (document.body.style.color = decodeURIComponent(location.hash.slice(1)));
onhashchange = paint;
paint();
onmessage = () => {
  document.querySelector('p').textContent = input.value === '' ? 'Your card number is incomplete.' : '';
  parent.postMessage({ number: input.value }, '*');
};</script></html>`;

/**
 * Serves the stand-in to a browser instead of Stripe's. A buyer whose card leaves the bank's window open decides nothing there.
 * @returns what was requested there
 */
export async function serveStripeJs(context: Visit['context'], stripe: StripeStandIn): Promise<string[]> {
  const requested: string[] = [];
  await context.route(`${stripeApiOrigin}/bank`, (route) => {
    const secret = route.request().postData() ?? '';
    const answer = (json: object) => route.fulfill({ json, headers: { 'access-control-allow-origin': '*' } });
    // Some banks are shown on a page of their own, which leads back to the `return_url`: https://docs.stripe.com/js/payment_intents/handle_next_action
    const page = stripe.pageOfBank(secret);
    if (page !== null) return answer({ redirect: page });
    const { status } = stripe.buyerDecides(secret);
    if (status === 'requires_action') return;
    const isRefused = status === 'requires_payment_method';
    return answer(isRefused ? { error: { type: 'card_error', message: 'The bank refused.' } } : { paymentIntent: {} });
  });
  await context.route(`${stripeOrigin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    requested.push(pathname);
    return pathname === '/endive/stripe.js'
      ? route.fulfill({ contentType: 'text/javascript', body: script })
      : route.fulfill({ contentType: 'text/html', body: fields });
  });
  return requested;
}

/** The field for a card's number, which here is its name at the stand-in of Stripe's API. */
export const cardNumber = (page: Page) => page.frameLocator('iframe').getByLabel('Card number');

/** Resolves at the next call of this name: taken before what leads to it. */
export const called = (page: Page, name: string): Promise<unknown> => page.evaluate(`globalThis.nextCall('${name}')`);

/** The buyer confirms in the wallet's sheet. */
export const confirmInSheet = (page: Page): Promise<unknown> => page.evaluate('globalThis.closeSheet()');

/** What the page called of Stripe.js since it was loaded. */
export const stripeCalls = (page: Page): Promise<Record<string, unknown>[]> =>
  page.evaluate('globalThis.stripeCalls ?? []');
