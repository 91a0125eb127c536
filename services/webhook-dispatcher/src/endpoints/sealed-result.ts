import { secretText } from '../secrets/secret-box.ts';
import type { EndpointDeps } from './endpoint-deps.ts';

/** Stored so that a repeated command gets the same response. It holds the secret only in its sealed form. */
export interface SealedResult<Resource> {
  readonly resource: Resource;
  /** Null when the command made no secret. */
  readonly sealedSecret: string | null;
}

/** The response of the command that made the secret. */
export function withSecret<Resource extends { readonly id: string }>(
  { secrets }: Pick<EndpointDeps, 'secrets'>,
  { resource, sealedSecret }: SealedResult<Resource>,
): Resource {
  if (sealedSecret === null) return resource;
  return { ...resource, secret: secretText(secrets.open(sealedSecret, resource.id)) };
}
