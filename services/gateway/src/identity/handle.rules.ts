const lengthMax = 60;

/** Addresses of hosted pages begin with a handle; these words begin those of another kind. */
export const isReservedHandle = (handle: string): boolean => handle === 'opt-out' || handle === 'restore';

/** A handle made of a business's name: ASCII letters, digits, single hyphens; `shop` when nothing is left of it. */
export function handleFrom(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').replaceAll(/['’]/g, '');
  const handle = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replaceAll(/^-+|-+$/g, '');
  if (isReservedHandle(handle)) return `${handle}-shop`;
  return handle === '' ? 'shop' : handle;
}
