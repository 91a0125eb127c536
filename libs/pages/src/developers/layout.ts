import { renderDocument } from '../document.ts';
import { type Html, html } from '../html.ts';

/** Addresses of what the pages load. */
export interface PageAssets {
  readonly icon: string;
  readonly stylesheet: string;
}

export interface Page {
  readonly title: string;
  /** For search engines, which show it. */
  readonly description: string;
  readonly lead: Html;
  /** What the page's own navigation leads to. */
  readonly sections: readonly Section[];
  readonly current: '/developers' | '/developers/errors';
  readonly assets: PageAssets;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

export function renderPage(page: Page): string {
  const entry = (path: string, name: string) =>
    path === page.current
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`;
  const body = html`<a class="skip" href="#content">Skip to content</a>
<header class="top">
<p class="brand"><a href="/developers">Checkout and funnel API</a></p>
<nav aria-label="Pages"><ul>
${entry('/developers', 'Guide')}
${entry('/developers/errors', 'Errors')}
<li><a href="/developers/openapi.json">openapi.json</a></li>
</ul></nav>
</header>
<div class="columns">
<nav class="contents" aria-label="On this page"><ul>
${page.sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul></nav>
<main id="content" class="${page.current === '/developers' ? 'guide' : 'list'}">
<h1>${page.title}</h1>
${page.lead}
${page.sections.map(
  ({ id, title, content }) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>`,
)}
</main>
</div>`;
  const { icon, stylesheet } = page.assets;
  const title = `${page.title} · Checkout and funnel API`;
  const head = html`<meta name="description" content="${page.description}">`;
  return renderDocument({ title, body, head, icon, stylesheets: [stylesheet], isIndexed: true });
}

/** A sample that may be wider than the page: people reach and scroll it by keyboard. */
export function code(label: string, text: string): Html {
  return html`<figure class="sample"><figcaption>${label}</figcaption>
<pre tabindex="0"><code>${text.trim()}</code></pre></figure>`;
}

export function table(label: string, columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<section class="scroll" aria-label="${label}" tabindex="0"><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
</tbody></table></section>`;
}
