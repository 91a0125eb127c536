/**
 * Stripe's card fields instead of ours: what is typed there reaches Stripe alone. Its script is loaded from Stripe when a
 * form has card fields, and a redraw by htmx leaves the fields as they are. A form that pays waits for the card's token.
 */
const scriptAddress = 'https://js.stripe.com/endive/stripe.js';
/** The `do` of buttons that send a card. */
const paying = new Set(['pay', 'pay-again', 'pay-otherwise', 'save']);

/** @type {{ container: HTMLElement, stripe: StripeOfPage, elements: StripeElements, card: StripeElement } | undefined} */
let shown;
/** @type {Promise<unknown> | undefined} */
let loading;

/** Stripe's script, once. A failed attempt is made again by the next. */
function loadScript() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = scriptAddress;
    script.onload = resolve;
    script.onerror = () => {
      loading = undefined;
      script.remove();
      reject(new Error('Stripe’s script was not loaded'));
    };
    document.head.append(script);
  });
  return loading;
}

const cardContainer = () => /** @type {HTMLElement | null} */ (document.querySelector('[data-stripe-key]'));

/** Shows the fields where the page has a card form, with the amount as it is now. */
async function show() {
  const container = cardContainer();
  if (shown !== undefined && shown.container !== container) {
    shown.card.destroy();
    shown = undefined;
  }
  // In a part that is folded up no buyer pays yet.
  if (container === null || container.closest('details:not([open])') !== null) return;
  if (shown !== undefined) {
    shown.elements.update(changingOf(container));
    return void shown.card.update({ applePay: applePayOf(container) });
  }
  showState(container, 'loading');
  try {
    await loadScript();
    if (shown === undefined && cardContainer() === container) mount(container);
  } catch {
    showState(container, 'failed');
  }
}

/** What is shown where the fields go. @param {HTMLElement} container @param {'loading' | 'failed' | 'fields'} state */
function showState(container, state) {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (container.querySelectorAll('[data-card]')))
    one.hidden = one.dataset.card !== state;
}

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-card="failed"] button') !== null) void show();
});
addEventListener('online', () => void show());

/** @param {HTMLElement} container */
function mount(container) {
  const stripe = globalThis.Stripe?.(container.dataset.stripeKey ?? '');
  if (stripe === undefined) throw new Error('Stripe’s script is none');
  const { mode } = container.dataset;
  const locale = document.documentElement.lang;
  const elements = stripe.elements({ mode, allowedPaymentMethodTypes: ['card'], locale, ...changingOf(container) });
  // Wallets give a card, also where cards alone are allowed; Link would be an account of its own.
  const wallets = { applePay: 'auto', googlePay: 'auto', link: 'never' };
  // The page itself says what a card is kept for.
  const terms = { card: 'never', applePay: 'never', googlePay: 'never' };
  const card = elements.create('payment', { wallets, terms, applePay: applePayOf(container) });
  const fields = document.createElement('div');
  container.append(fields);
  shown = { container, stripe, elements, card };
  card.on('ready', () => showState(container, 'fields'));
  card.on('change', () => say(container, ''));
  card.on('loaderror', () => {
    if (shown?.card !== card) return;
    card.destroy();
    fields.remove();
    shown = undefined;
    showState(container, 'failed');
  });
  card.mount(fields);
}

/** @param {HTMLElement} container */
function changingOf(container) {
  const { mode, amount, currency, saves } = container.dataset;
  const setupFutureUsage = saves === undefined ? null : 'off_session';
  return {
    currency,
    setupFutureUsage,
    appearance: appearance(),
    ...(mode === 'payment' && { amount: Number(amount) }),
  };
}

/** What Apple Pay's sheet says of a subscription. @param {HTMLElement} container */
const applePayOf = ({ dataset: { recurring } }) => ({
  recurringPaymentRequest: recurring === undefined ? null : JSON.parse(recurring),
});

/** The fields look like those of the page. */
function appearance() {
  const styles = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const value = (name) => styles.getPropertyValue(`--${name}`).trim();
  const focus = { outline: `2px solid ${value('focus')}`, outlineOffset: '2px', boxShadow: 'none' };
  return {
    theme: isDark.matches ? 'night' : 'stripe',
    variables: {
      colorPrimary: value('accent'),
      colorBackground: value('surface'),
      colorText: value('ink'),
      colorTextSecondary: value('quiet'),
      colorDanger: value('bad'),
      fontFamily: value('sans'),
      fontSizeBase: '16px',
      fontSizeSm: '14px',
      borderRadius: '8px',
      spacingUnit: '4px',
      gridRowSpacing: '16px',
    },
    rules: {
      '.Label': { fontWeight: '500' },
      '.Input': { border: `1px solid ${value('control')}`, boxShadow: 'none' },
      '.Input:focus': focus,
      '.Input--invalid': { border: `1px solid ${value('bad')}`, boxShadow: 'none' },
    },
  };
}

const isDark = matchMedia('(prefers-color-scheme: dark)');
isDark.addEventListener('change', () => shown?.elements.update({ appearance: appearance() }));

/** Says it at the card. @param {HTMLElement} container @param {string | undefined} text */
function say(container, text = '') {
  container.querySelector(':scope > .error')?.remove();
  if (text === '') return;
  const error = document.createElement('p');
  error.className = 'error';
  error.setAttribute('role', 'alert');
  error.textContent = text;
  container.append(error);
}

/** A click that waits for the token of its card, or for the answer to it. @type {{ button: Element | null, isSent: boolean } | undefined} */
let underWay;
/** The form is sent by this module. */
let isPassing = false;

document.addEventListener(
  'submit',
  (event) => {
    const { target: form, submitter } = event;
    if (isPassing || !(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return;
    const takesCard = paying.has(submitter.value);
    if (!takesCard && submitter.value !== 'continue') return;
    const name = takesCard ? '[data-stripe-key]' : '[data-client-secret]';
    const container = /** @type {HTMLElement | null} */ (form.querySelector(name));
    if (container === null || (takesCard && lacksEmail(form))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void (takesCard ? pay : confirmAtBank)(form, submitter, container);
  },
  true,
);

/**
 * The tab's note that a card was sent: the bank that the answer asks for is shown at once. Its value is the payment whose bank was
 * asked last, which is asked again by a click alone.
 */
const sentNote = 'card-sent';

/** Shows the bank over a page that came of a card, or of the bank before; while the outcome is checked, the note stays. */
function askBank() {
  const container = /** @type {HTMLElement | null} */ (document.querySelector('[data-client-secret]'));
  const asked = sessionStorage.getItem(sentNote);
  if (asked === null || (container === null && document.querySelector('[data-check]') !== null)) return;
  sessionStorage.removeItem(sentNote);
  const submitter = container?.querySelector('button');
  if (!container || !submitter?.form || paymentOf(container) === asked) return;
  void confirmAtBank(submitter.form, submitter, container);
}

/** @param {HTMLElement} container */
const paymentOf = ({ dataset: { clientSecret = '' } }) => clientSecret.replace(/_secret_.*$/, '');

/** Sends the form, past the listener above. @param {HTMLFormElement} form @param {HTMLButtonElement} submitter */
function pass(form, submitter) {
  isPassing = true;
  form.requestSubmit(submitter);
  isPassing = false;
}

/**
 * Without an email nothing can be paid: that is said before a wallet asks. Whether one is right the server decides, which takes more than
 * browsers do.
 * @param {HTMLFormElement} form
 */
function lacksEmail(form) {
  const email = form.elements.namedItem('email');
  return email instanceof HTMLInputElement && email.value.trim() === '';
}

/** @param {HTMLFormElement} form @param {HTMLButtonElement} submitter @param {HTMLElement} container */
async function pay(form, submitter, container) {
  if (underWay !== undefined) return;
  // Enter presses the form's first button, which buyers do not see.
  underWay = { button: submitter.tabIndex === -1 ? document.querySelector('#pay') : submitter, isSent: false };
  showBusy();
  const agreed = quoteOf(form);
  try {
    const token = await tokenOf(container);
    if (token === undefined) return end();
    await nothingOnItsWay();
    if (submitter.isConnected && quoteOf(form) === agreed) return void send(form, submitter, token);
    // A total that changed meanwhile is no total that the buyer clicked on, or that their wallet showed.
    say(container, container.dataset.changed);
  } catch {
    say(container, container.dataset.failed);
  }
  end();
}

/** @param {HTMLFormElement} form */
const quoteOf = (form) => new FormData(form).get('quote');

/**
 * The token of what was typed, or of a wallet, once; undefined where the fields say what is wrong. Wallets open their sheet for a click
 * alone, so nothing is waited for before `submit`, which opens it: https://docs.stripe.com/js/elements/submit
 * @param {HTMLElement} container
 */
async function tokenOf(container) {
  if (shown === undefined) await show();
  if (shown === undefined) return undefined;
  say(container, '');
  const { stripe, elements } = shown;
  const checked = await elements.submit();
  // What is wrong with a field stands at the field itself.
  if (checked.error !== undefined) {
    if (checked.error.type !== 'validation_error') say(container, checked.error.message ?? container.dataset.failed);
    return undefined;
  }
  const made = await stripe.createConfirmationToken({ elements });
  if (made.confirmationToken === undefined) say(container, made.error?.message ?? container.dataset.failed);
  return made.confirmationToken?.id;
}

/** @param {HTMLFormElement} form @param {HTMLButtonElement} submitter @param {string} token */
function send(form, submitter, token) {
  if (underWay !== undefined) underWay.isSent = true;
  underWay?.button?.removeAttribute('aria-busy');
  setCard(form, token);
  sessionStorage.setItem(sentNote, '');
  pass(form, submitter);
}

/** @param {HTMLFormElement} form @param {string} token */
function setCard(form, token) {
  const input = form.elements.namedItem('card');
  if (input instanceof HTMLInputElement) input.value = token;
}

function showBusy() {
  underWay?.button?.setAttribute('aria-busy', 'true');
}

/** A token is used once: the next click gets another. */
function end() {
  underWay?.button?.removeAttribute('aria-busy');
  underWay = undefined;
  for (const form of document.forms) if (form.querySelector('[data-stripe-key]') !== null) setCard(form, '');
}

/** Requests of htmx that have no answer yet. */
let requests = 0;
/** @type {(() => void)[]} */
const waiting = [];
/** @returns {Promise<void>} */
const nothingOnItsWay = () =>
  requests === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(() => resolve()));

document.addEventListener('htmx:before:request', () => {
  requests += 1;
});
document.addEventListener('htmx:finally:request', () => {
  requests -= 1;
  if (underWay?.isSent) end();
  else showBusy();
  if (requests > 0) return;
  for (const goOn of waiting.splice(0)) goOn();
});
document.addEventListener('htmx:after:swap', () => {
  void show();
  askBank();
});
document.addEventListener('toggle', () => void show(), true);

/**
 * Stripe's script shows the buyer their bank, in a frame over the page. What the browser learns of it counts for nothing: the
 * form that is sent afterwards makes the server query Stripe.
 * @param {HTMLFormElement} form @param {HTMLButtonElement} submitter @param {HTMLElement} container
 */
async function confirmAtBank(form, submitter, container) {
  if (submitter.getAttribute('aria-busy') === 'true') return;
  submitter.setAttribute('aria-busy', 'true');
  say(container, '');
  const isRequested = await showBank(container).catch(() => false);
  submitter.removeAttribute('aria-busy');
  if (!submitter.isConnected) return;
  if (!isRequested) return void say(container, container.dataset.failed);
  sessionStorage.setItem(sentNote, paymentOf(container));
  pass(form, submitter);
}

/** @param {HTMLElement} container @returns whether the bank was reached, whatever came of it */
async function showBank({ dataset: { key = '', clientSecret = '' } }) {
  await loadScript();
  const requested = await globalThis.Stripe?.(key).handleNextAction({ clientSecret });
  return requested !== undefined && requested.error?.type !== 'api_connection_error';
}

// A page that comes back from the browser's memory waits for nothing.
addEventListener('pageshow', (event) => {
  if (event.persisted) end();
});
void show();
askBank();
