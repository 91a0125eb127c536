/** The checkout page: opens or restores a checkout, and does what the buyer asks for. */

import * as api from './checkout-api.js';
import { element, viewOf } from './checkout-views.js';

const main = document.getElementById('checkout');
/** How often a payment under way is asked about, and how long each time is waited before. */
const asksMax = 40;
const askAfterMs = 1_500;

let buyer;
let checkout;
let busy = false;
/** The buyer was asked whether to pay for it once more: the next click says yes. */
let confirmRepeat;
const boughtText =
  'You have bought this already, or are paying for it in another window. Nothing was charged now. Pay again only if you want it once more.';

function show(changed, notice) {
  checkout = changed;
  document.title = `${checkout.product.name} · ${checkout.seller.name}`;
  const typed = main.querySelector('form') && new FormData(main.querySelector('form'));
  const place = document.activeElement?.name;
  const told = notice ? [element('p', { class: 'fault', role: 'alert' }, notice)] : [];
  main.replaceChildren(...told, ...viewOf(checkout, actions));
  if (typed) keepTyped(typed);
  main.querySelector('[role="alert"]')?.scrollIntoView({ block: 'center' });
  if (place) main.querySelector(`[name="${CSS.escape(place)}"]`)?.focus({ preventScroll: true });
  if (checkout.status === 'processing') void waitForOutcome();
}

/** What was typed and not sent yet stays when the page is drawn anew. */
function keepTyped(typed) {
  for (const name of ['email', 'name', 'card', 'discountCode']) {
    const input = main.querySelector(`[name="${name}"]`);
    if (!input || !typed.get(name)) continue;
    input.value = typed.get(name);
    input.closest('details')?.setAttribute('open', '');
  }
}

/** One thing at a time; what is refused is told above the form, with prices as they are by then. */
async function act(work) {
  if (busy) return;
  setBusy(true);
  try {
    await work();
  } catch (err) {
    if (err.code === 'test_mode_changed') return showReload(err.message);
    const current = await api.read(buyer).catch(() => checkout);
    if (err.code === 'already_bought') {
      confirmRepeat = true;
      return show(current, boughtText);
    }
    show(current, err instanceof api.Refusal ? err.message : 'That did not work. Try again.');
    if (!(err instanceof api.Refusal)) throw err;
  } finally {
    setBusy(false);
  }
}

/** This checkout can no longer be paid: a page that is loaded anew opens another one. */
function showReload(text) {
  api.forget();
  const again = element('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, 'Reload');
  main.replaceChildren(element('h1', {}, 'Checkout'), element('p', { role: 'alert' }, text), again);
}

/** Whether the buyer was asked; each answer counts for one click. */
function takeConfirmation() {
  const confirmed = confirmRepeat;
  confirmRepeat = undefined;
  return confirmed;
}

function setBusy(now) {
  busy = now;
  main.setAttribute('aria-busy', String(now));
  for (const button of main.querySelectorAll('button')) button.disabled = now;
}

const chosenBumps = () => [...main.querySelectorAll('[name="bump"]:checked')].map(({ value }) => value);

const actions = {
  choose: () => act(async () => show(await api.update(buyer, { bumpIds: chosenBumps() }))),
  applyCode: (code) => act(async () => show(await api.update(buyer, { discountCode: code === '' ? null : code }))),
  /** Kept while the buyer goes on typing: the page is not drawn anew, and a refusal waits for the payment. */
  keep: (fields) => void api.update(buyer, fields).catch(() => undefined),
  pay: ({ email, name, card }) =>
    act(async () => {
      const shown = checkout;
      const updated = await api.update(buyer, { email, name });
      if (updated.quote !== shown.quote) {
        show(updated, 'The price changed since you opened this page. Look at it, and pay if you agree.');
        return;
      }
      await api.pay(buyer, card, { ...shown, confirmRepeat: takeConfirmation() });
      show(await api.read(buyer));
    }),
  /** In place of the confirmation at the bank. */
  payOtherwise: ({ card }) =>
    act(async () => {
      await api.pay(buyer, card, { confirmRepeat: takeConfirmation() });
      show(await api.read(buyer));
    }),
  proceed: () =>
    act(async () => {
      await api.proceed(buyer);
      show(await api.read(buyer));
    }),
  decide: (accept) =>
    act(async () => {
      await api.decide(buyer, accept);
      show(await api.read(buyer));
    }),
  anew: () => {
    api.forget();
    location.assign(location.pathname);
  },
};

let waiting = false;

/** Asks how a payment stands until that is known. */
async function waitForOutcome() {
  if (waiting) return;
  waiting = true;
  for (let asked = 0; asked < asksMax; asked++) {
    await api.pause(askAfterMs);
    await api.proceed(buyer).catch(() => undefined);
    const current = await api.read(buyer).catch(() => checkout);
    if (current.status === 'processing') continue;
    waiting = false;
    show(current);
    return;
  }
  waiting = false;
  const text = 'The payment is still not known. You are charged once at most; come back to this page later.';
  main.querySelector('.wait')?.replaceChildren(text);
}

const goneCodes = [
  'product_not_found',
  'unknown_product',
  'product_not_live',
  'no_longer_for_sale',
  'validation_failed',
];

async function start() {
  try {
    const opened = await api.openOrRestore();
    buyer = opened.buyer;
    show(opened.checkout, opened.gone ? 'That link no longer opens a checkout. This is a new one.' : undefined);
    // Back from the bank.
    if (checkout.status === 'requires_action' && new URLSearchParams(location.search).size > 0) await actions.proceed();
  } catch (err) {
    const gone = goneCodes.includes(err.code);
    const text = gone ? 'This product is not for sale at the moment.' : err.message;
    const again = element(
      'button',
      { type: 'button', class: 'primary', onclick: () => location.reload() },
      'Try again',
    );
    // A page that says already that there is nothing stays.
    if (gone && main.querySelector('h1')) return;
    const told = [element('h1', {}, 'Checkout'), element('p', { role: 'alert' }, text)];
    main.replaceChildren(...told, ...(gone ? [] : [again]));
  }
}

void start();
