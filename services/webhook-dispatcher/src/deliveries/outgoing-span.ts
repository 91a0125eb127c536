import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { type Exchange, isDelivered } from './exchange.rules.ts';
import { failureText } from './failure.rules.ts';

/** HTTP attributes by OpenTelemetry's conventions, without the query, because sellers put tokens there. */
export function destinationAttributes(url: string): Attributes {
  const { protocol, hostname, port, origin, pathname } = new URL(url);
  return {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    'url.full': origin + pathname,
  };
}

/** Records the outcome on the span. Any outcome but a delivery is an error: another status, a refused connection, a time-out. */
export function recordExchange(span: Span, result: Exchange): void {
  const { statusCode, error } = result;
  if (statusCode !== null) span.setAttribute('http.response.status_code', statusCode);
  if (isDelivered(result)) return;
  span.setAttribute('error.type', error === null ? String(statusCode) : errorType(error));
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: error === null ? `status ${statusCode}` : failureText(error),
  });
}

function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? '_OTHER');
}
