import { runCommandOnce } from '@app/messaging/run-command-once';
import type { EntityManager } from '@mikro-orm/postgresql';
import { secretText } from '../secrets/secret-box.ts';
import type { EndpointDeps } from './endpoint-deps.ts';

/** Stored so that a repeated command gets the same response. It holds the secret only in its sealed form. */
export interface SealedResult<Resource> {
  readonly resource: Resource;
  /** Null when the command made no secret. */
  readonly sealedSecret: string | null;
}

/** Runs a command that may make a secret, at most once for its id; a repetition answers with the same secret. */
export async function runSealed<Resource extends { readonly id: string }>(
  deps: Pick<EndpointDeps, 'database' | 'secrets'>,
  commandId: string,
  work: (tx: EntityManager) => Promise<SealedResult<Resource>>,
): Promise<Resource> {
  return withSecret(deps, await runCommandOnce(deps.database.fork(), commandId, work));
}

function withSecret<Resource extends { readonly id: string }>(
  { secrets }: Pick<EndpointDeps, 'secrets'>,
  { resource, sealedSecret }: SealedResult<Resource>,
): Resource {
  if (sealedSecret === null) return resource;
  return { ...resource, secret: secretText(secrets.open(sealedSecret, resource.id)) };
}
