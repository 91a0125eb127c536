/** What the portal's pages do better with a script; they work without. Their forms lead on to a page. */

document.addEventListener('submit', (event) => {
  const { submitter } = event;
  // A second click sends nothing: the first is under way.
  if (submitter?.getAttribute('aria-busy') === 'true') event.preventDefault();
  else if (submitter?.matches('.button')) submitter.setAttribute('aria-busy', 'true');
});

// A page that comes back from the browser's memory waits for nothing.
addEventListener('pageshow', () => {
  for (const busy of document.querySelectorAll('.button[aria-busy]')) busy.removeAttribute('aria-busy');
});

for (const button of document.querySelectorAll('[data-print]')) {
  if (!(button instanceof HTMLElement)) continue;
  button.hidden = false;
  button.addEventListener('click', () => print());
}
