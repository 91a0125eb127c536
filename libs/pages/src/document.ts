import { type Html, html } from './html.ts';

export interface DocumentOptions {
  readonly title: string;
  readonly body: Html;
  readonly stylesheets: readonly string[];
  readonly scripts?: readonly string[] | undefined;
  /** Further elements of the head. */
  readonly head?: Html | undefined;
  /** Search engines may list it; all other pages say that they may not. */
  readonly isIndexed?: boolean | undefined;
  readonly icon?: string | undefined;
}

/** htmx adds no style of its own, and waits longer than the gateway's slowest answer to a buyer takes, `continuePortalPaymentMethod`. */
const htmxConfig = JSON.stringify({ includeIndicatorCSS: false, defaultTimeout: 60_000, history: false });

/** A page from its first byte to its last. */
export function renderDocument(options: DocumentOptions): string {
  const { title, body, stylesheets, scripts = [], head, isIndexed = false, icon } = options;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${!isIndexed && html`<meta name="robots" content="noindex">`}
<title>${title}</title>
${icon !== undefined && html`<link rel="icon" href="${icon}" type="image/svg+xml">`}
${stylesheets.map((href) => html`<link rel="stylesheet" href="${href}">`)}
${scripts.length > 0 && html`<meta name="htmx-config" content="${htmxConfig}">`}
${scripts.map((src) => html`<script type="module" src="${src}"></script>`)}
${head}
</head>
<body>
${body}
</body>
</html>
`.text;
}
