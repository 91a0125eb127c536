/**
 * Pages that get themselves again by htmx: what gets no answer is tried again, ever later, and the page says so.
 * @typedef {{ sourceElement: Element, response?: { status: number, headers: Headers, raw: Response } }} CheckContext
 */

const firstSeconds = 2;
const longestSeconds = 60;
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let again;

/** What htmx is about, where that is a check. @param {Event} event */
function checkOf(event) {
  const { ctx } = /** @type {{ detail: { ctx?: CheckContext } }} */ (/** @type {unknown} */ (event)).detail;
  const element = ctx?.sourceElement;
  return element instanceof HTMLElement && element.matches('[data-check]')
    ? { element, response: ctx?.response }
    : null;
}

document.addEventListener('htmx:before:response', (event) => {
  const check = checkOf(event);
  if (!check?.response) return;
  const { status, headers, raw } = check.response;
  if (raw.redirected) {
    // The page is over, or its reader is not logged in any more.
    event.preventDefault();
    location.assign(raw.url);
  } else if (status === 429 || status >= 500) {
    event.preventDefault();
    tryLater(check.element, check.element.dataset.busy, Number(headers.get('retry-after')) || 0);
  } else {
    clearTimeout(again);
    failures = 0;
  }
});

document.addEventListener('htmx:error', (event) => {
  const check = checkOf(event);
  if (check !== null) tryLater(check.element, check.element.dataset.unreachable, 0);
});

/** @param {HTMLElement} element @param {string | undefined} text @param {number} atLeastSeconds */
function tryLater(element, text, atLeastSeconds) {
  const seconds = Math.max(atLeastSeconds, Math.min(longestSeconds, Math.round(firstSeconds * 1.5 ** failures)));
  failures = Math.min(failures + 1, 20);
  clearTimeout(again);
  again = setTimeout(() => element.dispatchEvent(new Event('again')), seconds * 1000);
  const notice = element.querySelector('.said') ?? document.createElement('p');
  notice.className = 'notice warn said';
  notice.textContent = (text ?? '').replace('{seconds}', String(seconds));
  element.prepend(notice);
}
