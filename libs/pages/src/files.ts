const file = (path: string): URL => new URL(path, import.meta.url);

/** What browsers load, by the name of the asset; several files stand one after another in it. */
export const pageFiles: Readonly<Record<string, readonly URL[]>> = {
  'checkout.css': [file('styles/base.css'), file('styles/components.css'), file('styles/checkout.css')],
  'checkout.js': [file('browser/checkout.js')],
  'htmx.js': [new URL(import.meta.resolve('htmx.org/dist/htmx.esm.min.js'))],
};
