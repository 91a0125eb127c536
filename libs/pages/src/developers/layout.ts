import { renderDocument } from '../document.ts';
import { type Html, html } from '../html.ts';

/** Addresses of what the pages load. */
export interface PageAssets {
  readonly icon: string;
  readonly stylesheet: string;
  /** Adds what a reader can do without: copy buttons, colours in samples, a search. */
  readonly script: string;
}

export interface DeveloperPage {
  readonly path: string;
  readonly title: string;
  /** For search engines and the list of all pages, which show it. */
  readonly description: string;
  readonly lead: Html;
  /** What the page's own navigation leads to. */
  readonly sections: readonly Section[];
  /** `list`: many short sections of one kind. */
  readonly kind: 'guide' | 'list';
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

/** What every page leads to. */
const topPages: readonly (readonly [path: string, name: string])[] = [
  ['/developers', 'Guide'],
  ['/developers/checkout', 'Checkout'],
  ['/developers/selling', 'Selling'],
  ['/developers/webhooks', 'Webhooks'],
  ['/developers/client', 'Client'],
  ['/developers/mcp', 'MCP'],
  ['/developers/reference', 'Reference'],
  ['/developers/errors', 'Errors'],
];

export const productName = 'Funnelry';

export function renderPage(page: DeveloperPage, { icon, stylesheet, script }: PageAssets): string {
  const body = html`<a class="skip" href="#content">Skip to content</a>
<header class="top">
<p class="brand"><a href="/developers">${productName} for developers</a></p>
<nav aria-label="Pages"><ul>
${topPages.map(([path, name]) => html`<li>${linkOf(path, name, page.path)}</li>`)}
</ul></nav>
</header>
<div class="columns">
<nav class="contents" aria-label="On this page"><ul>
${page.sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul></nav>
<main id="content" class="${page.kind}">
${contentOf(page)}
</main>
</div>
<footer><p>This page as <a href="${page.path}.md">Markdown</a>; <a href="/llms.txt">all pages for machines</a>;
<a href="/developers/openapi.json">openapi.json</a></p></footer>`;
  const head = html`<meta name="description" content="${page.description}">
<link rel="alternate" type="text/markdown" href="${page.path}.md">
<script type="module" src="${script}"></script>`;
  const title = `${page.title} · ${productName} for developers`;
  return renderDocument({ title, body, head, icon, stylesheets: [stylesheet], isIndexed: true });
}

function linkOf(path: string, name: string, current: string): Html {
  if (path === current) return html`<a href="${path}" aria-current="page">${name}</a>`;
  const isAbove = path !== '/developers' && current.startsWith(`${path}/`);
  return isAbove ? html`<a href="${path}" aria-current="true">${name}</a>` : html`<a href="${path}">${name}</a>`;
}

/** What the page says, without what leads to other pages. */
export function contentOf({ title, lead, sections }: DeveloperPage): Html {
  return html`<h1 id="top">${title}</h1>
${lead}
${sections.map(
  ({ id, title: heading, content }) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}
</section>`,
)}`;
}

/** A heading within a section. */
export const heading = (id: string, text: string): Html => html`<h3 id="${id}">${text}</h3>`;

/** A sample that may be wider than the page: people reach and scroll it by keyboard. */
export function code(label: string, text: string): Html {
  return html`<figure class="sample"><figcaption>${label}</figcaption>
<pre tabindex="0"><code>${text.trim()}</code></pre></figure>`;
}

/** Terms and what they mean: beside each other on wide screens, below each other on narrow ones. */
export function definitions(rows: readonly (readonly [term: Html, meaning: Html])[]): Html {
  return html`<dl class="terms">
${rows.map(
  ([term, meaning]) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>
`,
)}</dl>`;
}
