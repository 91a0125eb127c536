import { DomainError } from '@app/contracts/errors';

const versionTag = /^"(0|[1-9]\d{0,9})"$/;

/**
 * The version that the header If-Match names. Without the header, and with `*`, which is any version, there is none.
 * @throws DomainError malformed_request for anything but one tag as `ETag` has it
 */
export function ifVersionOf(ifMatch: string | undefined): number | undefined {
  const tag = ifMatch?.trim();
  if (tag === undefined || tag === '*') return undefined;
  const [, version] = versionTag.exec(tag) ?? [];
  if (version === undefined) {
    throw new DomainError('malformed_request', 'If-Match must be one version in double quotes, such as "3".');
  }
  return Number(version);
}

/** The ETag of a resource: its version. */
export function tagOf(body: Uint8Array): string {
  return `"${(JSON.parse(Buffer.from(body).toString('utf8')) as { readonly version: number }).version}"`;
}
