import type { FastifyInstance } from 'fastify';
import type { App } from '../app.ts';
import { routeDevelopers } from '../developers/routes.ts';
import { routeMcp } from '../mcp/routes.ts';
import type { Guard } from './guard.ts';

/** A part of the surface beside the operations: it registers its own routes. */
export type Part = (server: FastifyInstance, app: App, guard: Guard) => void | Promise<void>;

export const parts: readonly Part[] = [
  (server) => {
    server.get('/', (_, reply) => reply.redirect('/developers', 302));
  },
  routeDevelopers,
  routeMcp,
];
