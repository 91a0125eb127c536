/** What the portal's pages do better with a script; they work without. */

for (const button of document.querySelectorAll('[data-print]')) {
  if (!(button instanceof HTMLElement)) continue;
  button.hidden = false;
  button.addEventListener('click', () => print());
}
