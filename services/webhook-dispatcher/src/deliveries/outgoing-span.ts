import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { type Exchange, isDelivered } from './exchange.ts';
import { failureWords } from './failure.rules.ts';

/** HTTP attributes of OpenTelemetry's conventions. Without the query, which is where sellers put tokens. */
export function destinationAttributes(url: string): Attributes {
  const { protocol, hostname, port, origin, pathname } = new URL(url);
  return {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    'url.full': origin + pathname,
  };
}

/** What is no delivery is an error of the span, though nothing was thrown: another status, a refusal, a time-out. */
export function tellSpan(span: Span, result: Exchange): void {
  const { statusCode, error } = result;
  if (statusCode !== null) span.setAttribute('http.response.status_code', statusCode);
  if (isDelivered(result)) return;
  span.setAttribute('error.type', error === null ? String(statusCode) : errorType(error));
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: error === null ? `status ${statusCode}` : failureWords(error),
  });
}

function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? '_OTHER');
}
