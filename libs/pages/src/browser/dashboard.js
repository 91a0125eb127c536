/** What the dashboard does better with a script; it works without. */

/** Forms with something typed that is not sent yet. @type {Set<Element>} */
const changed = new Set();

// What was refused, or typed before a login, is not saved either; a form with buttons alone holds nothing.
for (const form of document.querySelectorAll('form[data-unsaved]')) {
  if (form.querySelector('input:not([type="hidden"]), textarea, select') !== null) changed.add(form);
}

document.addEventListener('input', ({ target }) => {
  const form = target instanceof Element ? target.closest('form[data-changes]') : null;
  if (form === null) return;
  changed.add(form);
  form.toggleAttribute('data-unsaved', true);
});

document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement) changed.delete(target);
});

addEventListener('beforeunload', (event) => {
  if (changed.size === 0) return;
  event.preventDefault();
  // Older browsers ask only for a value.
  event.returnValue = true;
});

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const zonedDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

/** @param {Date} at */
function shownTime(at) {
  const minutes = Math.round((at.getTime() - Date.now()) / 60_000);
  if (Math.abs(minutes) >= 24 * 60) return zoned.format(at);
  const near =
    Math.abs(minutes) < 60 ? relative.format(minutes, 'minute') : relative.format(Math.round(minutes / 60), 'hour');
  // "2 hr.": the sentence that it stands in has a point of its own.
  return near.replaceAll('.', '');
}

/** Times in the reader's zone, with UTC on hover. @param {ParentNode} within */
function localTimes(within) {
  for (const time of within.querySelectorAll('time[data-local]')) {
    if (!(time instanceof HTMLTimeElement)) continue;
    const at = new Date(time.dateTime);
    const utc = time.title === '' ? (time.textContent ?? '') : time.title;
    time.title = utc;
    time.textContent = shownTime(at);
  }
  for (const time of within.querySelectorAll('time[data-day]'))
    if (time instanceof HTMLTimeElement) time.textContent = zonedDay.format(new Date(time.dateTime));
}

/** @param {() => string} textOf what the button copies @param {string} label */
function copyButton(textOf, label = 'Copy') {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button plain';
  button.textContent = label;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf());
    button.textContent = 'Copied';
  });
  return button;
}

/** A button beside each text that one copies, and below code. @param {ParentNode} within */
function copyButtons(within) {
  for (const input of within.querySelectorAll('input[data-copy]')) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.removeAttribute('data-copy');
    const beside = document.createElement('div');
    beside.className = 'beside';
    input.replaceWith(beside);
    beside.append(
      input,
      copyButton(() => input.value),
    );
  }
  for (const link of within.querySelectorAll('a[data-copy]')) {
    if (!(link instanceof HTMLAnchorElement)) continue;
    const button = copyButton(() => link.href, link.textContent ?? '');
    button.className = 'link small';
    link.replaceWith(button);
  }
  for (const code of within.querySelectorAll('pre[data-copy]')) {
    code.removeAttribute('data-copy');
    code.after(copyButton(() => code.textContent ?? ''));
  }
}

/** Files have their times in the reader's zone. @param {ParentNode} within */
function zonedLinks(within) {
  for (const link of within.querySelectorAll('a[data-zone]')) {
    if (!(link instanceof HTMLAnchorElement)) continue;
    const address = new URL(link.href);
    address.searchParams.set('timeZone', zoned.resolvedOptions().timeZone);
    link.href = address.href;
  }
}

/** @param {ParentNode} within */
function enhance(within) {
  localTimes(within);
  copyButtons(within);
  zonedLinks(within);
}

enhance(document);
document.addEventListener('htmx:after:swap', () => enhance(document));

// What was typed before a login goes back to its form by itself.
const back = document.querySelector('form[data-sent]');
if (back instanceof HTMLFormElement) back.submit();

const search = document.querySelector('#search');
const keyboard = document.querySelector('#keyboard');

/** The address says which dialog is open, so that Back closes it. */
function showDialog() {
  if (!(keyboard instanceof HTMLDialogElement)) return;
  if (location.hash !== '#keyboard') keyboard.close();
  else if (!keyboard.open) keyboard.showModal();
}
/** Whether the page without the dialog is the one before in the browser's history. */
let isAbove = false;
addEventListener('hashchange', () => {
  isAbove = true;
  showDialog();
});
keyboard?.addEventListener('close', () => {
  if (location.hash !== '#keyboard') return;
  if (isAbove) history.back();
  else history.replaceState(null, '', location.pathname + location.search);
});
for (const link of document.querySelectorAll('a[data-dialog]')) link.setAttribute('href', '#keyboard');
showDialog();

function goToSearch() {
  if (!(search instanceof HTMLInputElement)) return;
  const menu = document.querySelector('.side .menu');
  if (menu instanceof HTMLDetailsElement) menu.open = true;
  search.focus();
}

document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isTyping = target instanceof Element && target.matches('input, textarea, select');
  if ((key !== '/' && key !== '?') || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (key === '/') goToSearch();
  else location.hash = 'keyboard';
});
