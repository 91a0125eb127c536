/** Draws the preview of a form again while one types. The server draws it; a button does so without script. */
const frame = document.querySelector('iframe[data-form]');
const form = document.getElementById((frame instanceof HTMLIFrameElement && frame.dataset.form) || '');

/** Between the last key and the request: each costs a few of the account's. */
const pauseMs = 600;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;
let sending = new AbortController();

/** @param {HTMLFormElement} form */
function valuesOf(form) {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values.append(name, value);
  return values;
}

/** Whether a form holds something else than its page came with. @param {HTMLFormElement} form */
function isTouched(form) {
  const fresh = /** @type {HTMLFormElement} */ (form.cloneNode(true));
  fresh.reset();
  return valuesOf(form).toString() !== valuesOf(fresh).toString();
}

/** @param {HTMLIFrameElement} frame @param {HTMLFormElement} form */
async function draw(frame, form) {
  sending.abort();
  sending = new AbortController();
  const { signal } = sending;
  const answer = await fetch(frame.src, { method: 'POST', body: valuesOf(form), signal, redirect: 'error' });
  if (!answer.ok) return;
  const drawn = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const shown = frame.contentDocument;
  if (shown === null) return;
  shown.body.replaceChildren(...drawn.body.childNodes);
  // A shop's colour is a stylesheet of its own, the last one.
  const accentOf = (/** @type {Document} */ of) => of.querySelector('link[rel="stylesheet"][href*="/accent/"]');
  const [before, after] = [accentOf(shown), accentOf(drawn)];
  if (before?.getAttribute('href') === after?.getAttribute('href')) return;
  before?.remove();
  if (after !== null) shown.head.append(after);
}

if (frame instanceof HTMLIFrameElement && form instanceof HTMLFormElement) {
  const drawSoon = () => {
    clearTimeout(pause);
    // What is typed on, or a connection that is lost, leaves the preview as it is.
    pause = setTimeout(() => draw(frame, form).catch(() => undefined), pauseMs);
  };
  form.addEventListener('input', drawSoon);
  // A form that was refused, or that comes back after a login, holds more than what is stored; and so does one in which something was
  // typed before this script came, or put back by the browser. The frame has loaded by then.
  addEventListener('load', () => {
    if (form.querySelector('[aria-invalid]') !== null || isTouched(form)) drawSoon();
  });
}
