import { errorsPage } from '@app/pages/developers/errors-page';
import { guidePage } from '@app/pages/developers/guide-page';
import { placeholderUrl } from '@app/pages/developers/placeholder-url';
import { escapeHtml } from '@app/pages/escape-html';
import type { FastifyInstance } from 'fastify';
import { operations } from '../api/operations/all-operations.ts';
import { baseUrlOf } from '../edge/base-url.ts';
import type { EdgeConfig } from '../edge/edge-config.ts';
import { genericTools } from '../mcp/generic-tools.ts';
import { namedTools } from '../mcp/tools.ts';
import { openApiDocument } from '../openapi/document.ts';
import { assets } from './assets.ts';
import { withBaseUrl } from './base-url-text.ts';

/** No script, no frame, nothing from elsewhere. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const shownTools = [...namedTools, ...genericTools.map((tool) => ({ ...tool, operation: {} }))];

/** Long enough to spare a reader's reloads, short enough for a new version. */
const cacheControl = 'public, max-age=300';

/** The developer pages and the OpenAPI description; each made once and when it is first requested; no key, no rate limit. */
export function routeDevelopers(server: FastifyInstance, { config }: { readonly config: EdgeConfig }): void {
  const document = () => JSON.stringify(openApiDocument(operations, placeholderUrl));
  const description = withBaseUrl(document, (url) => JSON.stringify(url).slice(1, -1));
  server.get('/developers/openapi.json', (req, reply) =>
    reply
      .headers({ 'cache-control': cacheControl, 'access-control-allow-origin': '*' })
      .type('application/json; charset=utf-8')
      .send(description(baseUrlOf(config, req.socket))),
  );

  const requestsPerMinute = config.RATE_LIMIT_PER_MINUTE;
  const addresses = { icon: assets.address('icon.svg'), stylesheet: assets.address('developers.css') };
  const pages = {
    '/developers': () => guidePage({ operations, tools: shownTools, requestsPerMinute, assets: addresses }),
    '/developers/errors': () => errorsPage(addresses),
  };
  for (const [path, make] of Object.entries(pages)) {
    const page = withBaseUrl(make, escapeHtml);
    server.get(path, (req, reply) =>
      reply
        .headers({ 'cache-control': cacheControl, 'content-security-policy': pagePolicy })
        .type('text/html; charset=utf-8')
        .send(page(baseUrlOf(config, req.socket))),
    );
  }
}
