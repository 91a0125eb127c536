import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance } from 'fastify';

/** What pages load: its address changes with its content, so that browsers never request it again. */
export interface Assets {
  /** @throws where no asset has this name */
  address(name: string): string;
  route(server: FastifyInstance): void;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Named {
  readonly Params: { readonly version: string; readonly name: string };
}

/**
 * One hash stands for all: scripts import each other by relative addresses, and each of them is of the same version.
 * @param files by name
 */
export function createAssets(files: Readonly<Record<string, Buffer>>): Assets {
  const byName = new Map(Object.entries(files));
  const version = versionOf(byName);
  return {
    address: (name) => {
      if (!byName.has(name)) throw new Error(`No asset is named ${name}`);
      return `/assets/${version}/${name}`;
    },
    route: (server) => {
      server.get<Named>('/assets/:version/:name', (req, reply) => {
        const bytes = byName.get(req.params.name);
        if (bytes === undefined) throw new DomainError('not_found', 'No file has this address.');
        // Beside a replica of another version a browser gets this one's file, and no cache keeps it under that address.
        const isOwn = req.params.version === version;
        return reply
          .header('cache-control', isOwn ? 'public, max-age=31536000, immutable' : 'no-store')
          .type(types[extname(req.params.name)] ?? 'application/octet-stream')
          .send(bytes);
      });
    },
  };
}

function versionOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(`${name} ${bytes.length} `).update(bytes);
  return hash.digest('base64url').slice(0, 12);
}
