import { secondsHistogram } from '@app/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import { isHttps } from './base-url.ts';
import type { EdgeConfig } from './edge-config.ts';
import { routeOf } from './request-spans.ts';

/** How long each request took, refused ones too, by OpenTelemetry's conventions. Without metrics there is no hook. */
export function measureRequests(server: FastifyInstance, config: EdgeConfig): void {
  const duration = secondsHistogram('gateway', {
    name: 'http.server.request.duration',
    description: 'Of requests that this replica answered, by route.',
  });
  if (duration === undefined) return;
  // What a caller says of itself could be anything, and each value would be a series.
  const scheme = isHttps(config) ? 'https' : 'http';
  server.addHook('onResponse', (req, reply, done) => {
    const { statusCode } = reply;
    const route = routeOf(req);
    duration(reply.elapsedTime / 1_000, {
      'http.request.method': req.method,
      'http.response.status_code': statusCode,
      'url.scheme': scheme,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(statusCode < 500 ? {} : { 'error.type': String(statusCode) }),
    });
    done();
  });
}
