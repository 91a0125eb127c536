/** What the developer pages can do without: copy buttons, colours in samples, and a search of the page. */

for (const sample of document.querySelectorAll('.sample')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy: ${sample.querySelector('figcaption')?.textContent ?? 'sample'}`);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(sample.querySelector('code')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  sample.querySelector('figcaption')?.append(button);
}

/** Kinds of words, in the order in which they are looked for. */
const kinds =
  /(?<comment>(?:^|\s)(?:#|\/\/) .*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<number>\b\d[\d_.]*\b)|(?<word>\b(?:import|from|export|const|let|for|of|await|async|function|return|if|else|new|throw|try|catch|switch|case|def|class|func|end|do|require|true|false|null|curl)\b)/gm;

// Ranges colour the text without a change of the page; a browser that lacks them shows it plain.
if ('highlights' in CSS) {
  /** @type {Record<string, Range[]>} */
  const ranges = { comment: [], string: [], number: [], word: [] };
  for (const code of document.querySelectorAll('pre code')) {
    const text = code.firstChild;
    if (!(text instanceof Text)) continue;
    for (const { groups = {}, index, 0: found } of text.data.matchAll(kinds)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + found.length);
      const kind = Object.keys(ranges).find((name) => groups[name] !== undefined);
      if (kind !== undefined) ranges[kind]?.push(range);
    }
  }
  for (const [kind, found] of Object.entries(ranges)) CSS.highlights.set(kind, new Highlight(...found));
}

const contents = document.querySelector('.contents');
const sections = [...document.querySelectorAll('main section')];
if (contents !== null && sections.length > 1) {
  const label = document.createElement('label');
  const field = document.createElement('input');
  field.type = 'search';
  label.append('Search this page', field);
  contents.prepend(label);
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const section of sections) {
      const text = `${section.querySelector('h2')?.id} ${section.textContent}`.toLowerCase();
      const isFound = words.every((word) => text.includes(word));
      // A list of operations shows those that fit alone.
      for (const entry of section.querySelectorAll('.operations li')) {
        const itsText = `${entry.id} ${entry.textContent}`.toLowerCase();
        /** @type {HTMLElement} */ (entry).hidden = !words.every((word) => itsText.includes(word));
      }
      /** @type {HTMLElement} */ (section).hidden = !isFound;
      const id = section.getAttribute('aria-labelledby');
      const entry = contents.querySelector(`a[href="#${CSS.escape(id ?? '')}"]`)?.parentElement;
      if (entry) entry.hidden = !isFound;
    }
  });
}
