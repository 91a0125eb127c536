import type { ApiDescription } from '@app/pages/developers/api-description';
import { developerPages, developerPaths, llmsText, pageMarkdown } from '@app/pages/developers/developer-pages';
import { type DeveloperPage, renderPage } from '@app/pages/developers/layout';
import { placeholderUrl } from '@app/pages/developers/placeholder-url';
import { escapeHtml } from '@app/pages/escape-html';
import type { FastifyInstance } from 'fastify';
import { operations } from '../api/operations/all-operations.ts';
import { clientSource } from '../client/client-source.ts';
import { baseUrlOf } from '../edge/base-url.ts';
import type { EdgeConfig } from '../edge/edge-config.ts';
import { genericTools } from '../mcp/generic-tools.ts';
import { namedTools } from '../mcp/tools.ts';
import { openApiDocument } from '../openapi/document.ts';
import { assets } from './assets.ts';
import { withBaseUrl } from './base-url-text.ts';

/** A script and a style of ours, no frame, nothing from elsewhere. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const shownTools = [...namedTools, ...genericTools.map((tool) => ({ ...tool, operation: {} }))];

/** Long enough to spare a reader's reloads, short enough for a new version. */
const cacheControl = 'public, max-age=300';

const plain = (text: string): string => text;

/** Made when it is first needed, and kept. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The developer pages and the OpenAPI description; each made once and when it is first requested; no key, no rate limit. */
export function routeDevelopers(server: FastifyInstance, { config }: { readonly config: EdgeConfig }): void {
  const serve = (path: string, type: string, text: (baseUrl: string) => Buffer, headers: Record<string, string>) =>
    server.get(path, (req, reply) =>
      reply
        .headers({ 'cache-control': cacheControl, ...headers })
        .type(`${type}; charset=utf-8`)
        .send(text(baseUrlOf(config, req.socket))),
    );

  const document = once(() => JSON.stringify(openApiDocument(operations, placeholderUrl)));
  const description = withBaseUrl(document, (url) => JSON.stringify(url).slice(1, -1));
  serve('/developers/openapi.json', 'application/json', description, { 'access-control-allow-origin': '*' });

  const api = once(() => JSON.parse(document()) as ApiDescription);
  const client = withBaseUrl(() => clientSource(api(), placeholderUrl), plain);
  serve('/developers/client.ts', 'text/plain', client, { 'access-control-allow-origin': '*' });

  const pages = once(() =>
    developerPages({
      api: api(),
      tools: shownTools,
      requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
    }),
  );
  const pageAt = (path: string): DeveloperPage => {
    const page = pages().find((each) => each.path === path);
    if (page === undefined) throw new Error(`no developer page has the path ${path}`);
    return page;
  };
  const addresses = {
    icon: assets.address('icon.svg'),
    stylesheet: assets.address('developers.css'),
    script: assets.address('developers.js'),
  };
  server.get('/developers/', (_req, reply) => reply.redirect('/developers', 308));
  for (const path of developerPaths(new Set([...operations.map(({ tag }) => tag), 'MCP']))) {
    const page = withBaseUrl(() => renderPage(pageAt(path), addresses), escapeHtml);
    serve(path, 'text/html', page, { 'content-security-policy': pagePolicy });
    serve(
      `${path}.md`,
      'text/markdown',
      withBaseUrl(() => pageMarkdown(pageAt(path)), plain),
      {},
    );
  }
  serve(
    '/llms.txt',
    'text/plain',
    withBaseUrl(() => llmsText(pages()), plain),
    {},
  );
}
