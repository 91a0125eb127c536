import { DomainError } from '@app/contracts/errors';
import { getProductImage, type ImageFormat, imageName, imageTypes } from '@app/contracts/images';
import { withoutMetadata } from '@app/service-kit/image-metadata';
import type { FastifyInstance } from 'fastify';
import type { Guard } from '../edge/guard.ts';
import { findLogo } from '../identity/logos.ts';
import type { App } from './app.ts';
import { ImageCache, type ImageCaches } from './image-cache.ts';

/** Sellers show them on their own pages too. An hour: a picture that was deleted is gone from browsers then. */
const imageCaching = 'public, max-age=3600';

interface Named {
  readonly Params: { readonly name: string };
}

/** Pictures that were stored before they lost their metadata at once lose it here. */
export function createImageCaches({ database, requester }: Pick<App, 'database' | 'requester'>): ImageCaches {
  const plain = (name: string, bytes: Buffer | null) => bytes && withoutMetadata(bytes, formatOf(name));
  return {
    products: new ImageCache(async (name) => plain(name, await findProductImage(requester, name))),
    logos: new ImageCache(async (name) => plain(name, await findLogo(database, name))),
  };
}

/** Pictures of products and logos, for anyone: an address has the hash of the bytes, and never shows another picture. */
export function routeImages(server: FastifyInstance, app: App, guard: Guard): void {
  for (const [path, cache] of [
    ['/images/products/:name', app.images.products],
    ['/images/logos/:name', app.images.logos],
  ] as const) {
    server.get<Named>(
      path,
      { onRequest: async (req, reply) => void (await guard.admit('anyPage', req, reply)) },
      async (req, reply) => {
        const { name } = req.params;
        const bytes = imageName.safeParse(name).success ? await cache.find(name) : null;
        if (bytes === null) throw new DomainError('not_found', 'No picture has this address.');
        return reply
          .header('cache-control', imageCaching)
          .header('cross-origin-resource-policy', 'cross-origin')
          .type(typeOf(name))
          .send(bytes);
      },
    );
  }
}

const formatOf = (name: string): ImageFormat => name.slice(name.lastIndexOf('.') + 1) as ImageFormat;
const typeOf = (name: string): string => imageTypes[formatOf(name)];

async function findProductImage(requester: App['requester'], name: string): Promise<Buffer | null> {
  const { data } = await requester.request(getProductImage, { name }, { accountId: '', requestId: '' });
  return data === null ? null : Buffer.from(data, 'base64');
}
