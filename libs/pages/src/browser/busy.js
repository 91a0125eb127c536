/** Forms that lead on to a page: a second click sends nothing, and the button shows that the first is under way. */
document.addEventListener('submit', (event) => {
  const { submitter } = event;
  if (submitter?.getAttribute('aria-busy') === 'true') event.preventDefault();
  else if (submitter?.matches('.button')) submitter.setAttribute('aria-busy', 'true');
});

// A page that comes back from the browser's memory waits for nothing.
addEventListener('pageshow', () => {
  for (const busy of document.querySelectorAll('.button[aria-busy]')) busy.removeAttribute('aria-busy');
});
