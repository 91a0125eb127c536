import type { EndpointDeps } from './endpoint-deps.ts';
import type { EndpointResource } from './endpoint-resource.ts';
import { secretText } from './secret-box.ts';

/** Stored so that a repeated command gets the same response. It holds the secret only in its sealed form. */
export interface SealedResult {
  readonly resource: EndpointResource;
  /** Null when the command made no secret. */
  readonly sealedSecret: string | null;
}

/** The response of the command that made the secret. */
export function withSecret(
  { secrets }: Pick<EndpointDeps, 'secrets'>,
  { resource, sealedSecret }: SealedResult,
): EndpointResource {
  if (sealedSecret === null) return resource;
  return { ...resource, secret: secretText(secrets.open(sealedSecret, resource.id)) };
}
