import { readFileSync } from 'node:fs';
import { pageFiles } from '@app/pages/files';
import type { FastifyInstance } from 'fastify';
import { createAssets } from '../edge/assets.ts';

const file = (path: string): Buffer => readFileSync(new URL(path, import.meta.url));

/** Everything that our pages load, by name. */
export const assets = createAssets({
  'icon.svg': file('icon.svg'),
  ...Object.fromEntries(
    Object.entries(pageFiles).map(([name, parts]) => [name, Buffer.concat(parts.map((part) => readFileSync(part)))]),
  ),
});

/** Browsers request it where no page names an icon: for openapi.json, say. */
const favicon = file('favicon.ico');

/** Every page that search engines may not list says so itself; there is nothing for them in the API. */
const robots = 'User-agent: *\nDisallow: /api/\nDisallow: /mcp\n';

/**
 * @param appleFile the path of what Apple reads before it shows Apple Pay at this domain: the same for every account of Stripe, and answered
 * without a redirect (https://docs.stripe.com/payments/payment-methods/pmd-registration)
 * @throws Error where it cannot be read
 */
export function routeAssets(server: FastifyInstance, appleFile?: string): void {
  assets.route(server);
  if (appleFile !== undefined) {
    const bytes = readFileSync(appleFile);
    server.get('/.well-known/apple-developer-merchantid-domain-association', (_, reply) =>
      reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(bytes),
    );
  }
  server.get('/favicon.ico', (_, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/vnd.microsoft.icon').send(favicon),
  );
  server.get('/robots.txt', (_, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(robots),
  );
}
