import { accentStyles } from '@app/pages/accent';
import type { FastifyInstance } from 'fastify';

/** The colour alone: the styles that are made of it may change with a version of this software. */
const version = '1';

/** @param accent `#rrggbb` */
export const accentAddress = (accent: string): string =>
  `/assets/accent/${version}/${accent.slice(1).toLowerCase()}.css`;

/** The stylesheet of any colour: pages have no style of their own in them. */
export function routeAccents(server: FastifyInstance): void {
  server.get<{ readonly Params: { readonly name: string } }>('/assets/accent/1/:name', (req, reply) => {
    const [, hex] = /^([0-9a-f]{6})\.css$/.exec(req.params.name) ?? [];
    if (hex === undefined) return reply.callNotFound();
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type('text/css; charset=utf-8')
      .send(accentStyles(`#${hex}`));
  });
}
