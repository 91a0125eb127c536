const file = (path: string): URL => new URL(path, import.meta.url);

/** What browsers load, by the name of the asset; several files stand one after another in it. */
export const pageFiles: Readonly<Record<string, readonly URL[]>> = {
  'pages.css': ['base', 'components', 'lists', 'checkout', 'portal'].map((name) => file(`styles/${name}.css`)),
  'dashboard.css': ['', '-parts', '-charts', '-home', '-products'].map((part) => file(`styles/dashboard${part}.css`)),
  'developers.css': ['developers', 'reference'].map((name) => file(`developers/${name}.css`)),
  'checks.js': [file('browser/checks.js')],
  'checkout.js': ['checkout', 'checks'].map((name) => file(`browser/${name}.js`)),
  'dashboard.js': ['busy', 'dashboard'].map((name) => file(`browser/${name}.js`)),
  'developers.js': [file('browser/developers.js')],
  'passkeys.js': [file('browser/passkeys.js')],
  'picture.js': [file('browser/picture.js')],
  'portal.js': ['busy', 'portal'].map((name) => file(`browser/${name}.js`)),
  'preview.js': [file('browser/preview.js')],
  'stripe-card.js': [file('browser/stripe-card.js')],
  'htmx.js': [new URL(import.meta.resolve('htmx.org/dist/htmx.esm.min.js'))],
};
