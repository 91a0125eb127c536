import { eventsPath, partPath, referencePath } from './addresses.ts';
import type { ApiDescription } from './api-description.ts';
import { checkoutPage } from './checkout-page.ts';
import { clientPage } from './client-page.ts';
import { errorsPage } from './errors-page.ts';
import { guidePage } from './guide-page.ts';
import { contentOf, type DeveloperPage, productName } from './layout.ts';
import { markdownOf } from './markdown.ts';
import { type ListedTool, mcpPage } from './mcp-page.ts';
import { placeholderUrl } from './placeholder-url.ts';
import { referencePages } from './reference-pages.ts';
import { sellingPage } from './selling-page.ts';
import { webhooksPage } from './webhooks-page.ts';

export interface DeveloperSources {
  readonly api: ApiDescription;
  readonly tools: readonly ListedTool[];
  /** 0: no limit. */
  readonly requestsPerMinute: number;
}

/** Every page for developers; addresses of this deployment are `placeholderUrl`. */
export function developerPages({ api, tools, requestsPerMinute }: DeveloperSources): DeveloperPage[] {
  const guides = [guidePage(requestsPerMinute), checkoutPage, sellingPage, webhooksPage, clientPage, mcpPage(tools)];
  return [...guides, ...referencePages(api), errorsPage(api)];
}

/** Their paths, known before they are made. @param tags the parts of the API */
export function developerPaths(tags: Iterable<string>): string[] {
  const guides = [
    '/developers',
    '/developers/checkout',
    '/developers/selling',
    '/developers/webhooks',
    '/developers/client',
    '/developers/mcp',
  ];
  return [...guides, referencePath, ...[...tags].map(partPath), eventsPath, '/developers/errors'];
}

/** A page as Markdown. */
export const pageMarkdown = (page: DeveloperPage): string => markdownOf(contentOf(page).text);

/** What machines read first (https://llmstxt.org): every page, with what it is about. */
export function llmsText(pages: readonly DeveloperPage[]): string {
  const entries = pages.map(
    ({ path, title, description }) => `- [${title}](${placeholderUrl}${path}.md): ${description}`,
  );
  return `# ${productName}

> Checkout and funnels for solo sellers: products, order bumps, upsells, hosted checkouts, subscriptions, affiliates, metrics,
> signed webhooks, and an MCP server at ${placeholderUrl}/api/mcp. Every request sends \`Authorization: Bearer <key>\`.

## Pages

${entries.join('\n')}

## For machines

- [openapi.json](${placeholderUrl}/developers/openapi.json): the OpenAPI 3.1 description of every operation and event
- [client.ts](${placeholderUrl}/developers/client.ts): a typed client of this version, in one file
`;
}
