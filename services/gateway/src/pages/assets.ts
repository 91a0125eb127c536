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

export function routeAssets(server: FastifyInstance): void {
  assets.route(server);
  server.get('/favicon.ico', (_, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/vnd.microsoft.icon').send(favicon),
  );
  server.get('/robots.txt', (_, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(robots),
  );
}
