/**
 * What a checkout page does better with a script; it works without. htmx sends the forms and puts the answers in place.
 * @typedef {{ target: EventTarget | null, detail: { ctx: { request: { submitter?: HTMLElement | null, body: unknown }, response?: { status: number, headers: Headers } } } }} HtmxEvent
 */

/** Values of the form as the answer that is put in place knows them: what was typed or chosen since then stays. @type {Map<string, string>} */
let sent = new Map();

/** @param {Document | Element} root @param {string} selector */
const find = (root, selector) => /** @type {HTMLElement | null} */ (root.querySelector(selector));

document.addEventListener('htmx:config:request', () => clearTimeout(savesAgain));

document.addEventListener('htmx:before:request', (event) => {
  const { submitter } = /** @type {HtmxEvent} */ (/** @type {unknown} */ (event)).detail.ctx.request;
  // Enter presses the form's first button, which is not visible: Pay shows that it is under way.
  const pressed = submitter?.tabIndex === -1 ? find(document, '#pay') : submitter;
  if (pressed?.matches('.button')) pressed.setAttribute('aria-busy', 'true');
});

/** @type {ReturnType<typeof setTimeout> | undefined} */
let savesAgain;

document.addEventListener('htmx:before:response', (event) => {
  const { request, response } = /** @type {HtmxEvent} */ (/** @type {unknown} */ (event)).detail.ctx;
  const form = find(document, '#order-form');
  // A field that was left says nothing that the buyer waits for: the page stays, and the whole form is sent again later.
  if (response?.status !== 429 || request.submitter || form === null) return;
  event.preventDefault();
  say('info', form.dataset.busy);
  const seconds = Number(response.headers.get('retry-after')) || 60;
  savesAgain = setTimeout(() => form.dispatchEvent(new Event('change')), seconds * 1000);
});

document.addEventListener('htmx:finally:request', () => {
  for (const busy of document.querySelectorAll('.button[aria-busy]')) busy.removeAttribute('aria-busy');
});

/** What was chosen since the form was sent, by the name of its field: morphing chooses as the answer says. @type {Map<string, string>} */
const chosen = new Map();

document.addEventListener('htmx:before:swap', (event) => {
  const { request } = /** @type {HtmxEvent} */ (/** @type {unknown} */ (event)).detail.ctx;
  // Not when it is sent: another request may wait behind this one by now, with newer values.
  sent = new Map();
  const body = /** @type {Iterable<[string, unknown]>} */ (request.body ?? []);
  for (const [name, value] of body) sent.set(name, String(value));
  chosen.clear();
  for (const select of document.querySelectorAll('select'))
    if (select.value !== sent.get(select.name)) chosen.set(select.name, select.value);
});

document.addEventListener('htmx:after:swap', () => {
  for (const select of document.querySelectorAll('select')) {
    const value = chosen.get(select.name);
    if (value !== undefined && [...select.options].some((option) => option.value === value)) select.value = value;
  }
  const wrong = find(document, '[aria-invalid="true"]');
  const isTyping = document.activeElement instanceof HTMLInputElement;
  if (wrong !== null && !isTyping) wrong.focus();
  // The sentence stands below its field, which may be at the end of a phone's screen, or under its keyboard.
  find(document, '.error')?.scrollIntoView({ block: 'nearest' });
  begin();
});

document.addEventListener('htmx:error', () => say('bad', find(document, 'form[data-offline]')?.dataset.offline));

/** Says it above the button, until the next answer. @param {'bad' | 'info'} meaning @param {string | undefined} text */
function say(meaning, text) {
  const page = find(document, '#finish, #page main');
  if (page === null || text === undefined) return;
  find(page, '.said')?.remove();
  const notice = document.createElement('p');
  notice.className = `notice ${meaning} said`;
  notice.setAttribute('role', 'alert');
  notice.textContent = text;
  page.prepend(notice);
}

/** Morphing makes the page that of the answer: not where the buyer has typed on, or opened something, since the form was sent. */
globalThis.htmx.registerExtension('keep-typed', {
  /** @param {Element} element @param {{ attrName: string, newValue: string | null }} change */
  htmx_before_morph_attr: (element, { attrName, newValue }) => {
    if (attrName === 'open' && newValue === null) return false;
    if (attrName !== 'value' || !(element instanceof HTMLInputElement) || element.type === 'hidden') return true;
    return element.value === (sent.get(element.name) ?? element.value);
  },
});

/** @type {ReturnType<typeof setInterval> | undefined} */
let countDown;

/** Shows how many minutes there are to decide. Once there is none, the page shows what became of the order. */
function countMinutes() {
  clearInterval(countDown);
  const left = find(document, '[data-seconds-left]');
  if (left === null) return;
  const end = Date.now() + Number(left.dataset.secondsLeft) * 1000;
  countDown = setInterval(() => {
    const minutes = Math.ceil((end - Date.now()) / 60_000);
    if (minutes > 0) left.textContent = String(minutes);
    // A decision that is on its way leads on by itself.
    else if (find(document, '[aria-busy]') === null) location.reload();
  }, 1000);
}

/** What a page that is new on the screen needs. */
function begin() {
  countMinutes();
  const busy = find(document, 'form[data-retry-seconds]');
  if (busy instanceof HTMLFormElement && !busy.dataset.waits) {
    busy.dataset.waits = 'true';
    setTimeout(() => busy.requestSubmit(), Number(busy.dataset.retrySeconds) * 1000);
  }
}

/** Bumps that were ticked before htmx listened are not in the total yet. What is being typed would be judged half done: its own change sends them. */
function saveEarlyBumps() {
  const form = find(document, '#order-form:not(.htmx-request)');
  const { activeElement: focused } = document;
  const isTyping = focused instanceof HTMLInputElement && focused.value !== focused.defaultValue;
  const bumps = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('#order-form [name="bump"]'));
  if (!isTyping && [...bumps].some(({ checked, defaultChecked }) => checked !== defaultChecked))
    form?.dispatchEvent(new Event('change'));
}

/** A view counts once the page was on the screen. */
function countView() {
  const page = find(document, '[data-seen]');
  if (page === null || document.visibilityState !== 'visible') return;
  document.removeEventListener('visibilitychange', countView);
  const body = new URLSearchParams({ do: 'seen' });
  void fetch(page.dataset.seen ?? '', { method: 'POST', body, keepalive: true }).catch(() => undefined);
}

/** Links of earlier emails have their token after the `#`, which no server gets. */
function restoreFromLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get('secret');
  const [, , handle, slug] = location.pathname.split('/');
  if (token === null) return false;
  location.replace(`/c/restore/${encodeURIComponent(token)}.${handle}.${slug}`);
  return true;
}

if (!restoreFromLink()) {
  document.addEventListener('visibilitychange', countView);
  countView();
  begin();
  // htmx listens one turn after it has come.
  setTimeout(saveEarlyBumps);
}
