const lengthMax = 60;

/** A handle made of a business's name: ASCII letters, digits, single hyphens; `shop` when nothing is left of it. */
export function handleFrom(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').replaceAll(/['’]/g, '');
  const handle = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replaceAll(/^-+|-+$/g, '');
  return handle === '' ? 'shop' : handle;
}
