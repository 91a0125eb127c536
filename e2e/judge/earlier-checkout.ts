import { startReceiver } from '@app/testing/http-receiver';

/**
 * Has the round trips of the checkout page before this one, and nothing of its weight: the page, its script, the modules that
 * the script imports, and the request that opens a checkout, each after the one before.
 */
export async function startEarlierCheckout(): Promise<string> {
  const script = 'text/javascript';
  const files: Record<string, readonly [type: string, body: string]> = {
    '/': [
      'text/html',
      '<!doctype html><title>Checkout</title><main></main><script type="module" src="/a.js"></script>',
    ],
    '/a.js': [script, 'import { show } from "./b.js"; show(await (await fetch("/open", { method: "POST" })).json());'],
    '/b.js': [
      script,
      'export const show = () => { document.querySelector("main").innerHTML = "<input type=email>"; };',
    ],
    '/open': ['application/json', '{}'],
  };
  const { url } = await startReceiver({
    respond: ({ path }) => {
      const [type, body] = files[path] ?? ['text/plain', ''];
      return { status: body === '' ? 204 : 200, headers: { 'content-type': type }, body };
    },
  });
  return url;
}
