import { getProductImage, type ImageFormat, imageName, imageTypes } from '@app/contracts/images';
import type { FastifyInstance } from 'fastify';
import type { Guard } from '../edge/guard.ts';
import { findLogo } from '../identity/logos.ts';
import type { App } from './app.ts';
import { ImageCache } from './image-cache.ts';

interface Named {
  readonly Params: { readonly name: string };
}

/** Pictures of products and logos, for anyone: an address has the hash of the bytes, so that it is kept for good. */
export function routeImages(server: FastifyInstance, app: App, guard: Guard): void {
  const products = new ImageCache((name) => findProductImage(app, name));
  const logos = new ImageCache((name) => findLogo(app.database, name));
  for (const [path, cache] of [
    ['/images/products/:name', products],
    ['/images/logos/:name', logos],
  ] as const) {
    server.get<Named>(
      path,
      { onRequest: async (req, reply) => void (await guard.admit('anyPage', req, reply)) },
      async (req, reply) => {
        const { name } = req.params;
        const bytes = imageName.safeParse(name).success ? await cache.find(name) : null;
        if (bytes === null) return reply.callNotFound();
        return reply.header('cache-control', 'public, max-age=31536000, immutable').type(typeOf(name)).send(bytes);
      },
    );
  }
}

const typeOf = (name: string): string => imageTypes[name.slice(name.lastIndexOf('.') + 1) as ImageFormat];

async function findProductImage({ requester }: App, name: string): Promise<Buffer | null> {
  const { data } = await requester.request(getProductImage, { name }, { accountId: '', requestId: '' });
  return data === null ? null : Buffer.from(data, 'base64');
}
