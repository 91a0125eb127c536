/** Whether a person reads the answer: browsers name text/html, programs that take JSON as well name that. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/html')) return false;
  const types = accept.split(',').map((range) => range.trim().toLowerCase());
  const isTaken = (type: string) => types.some((range) => range.startsWith(type) && !/;\s*q=0(\.0*)?$/.test(range));
  return isTaken('text/html') && !isTaken('application/json');
}

/** Whether a caller that sent this Accept header takes the type: what its most specific range says, counts. */
export function acceptsType(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === mediaType) return true;
  // The ranges that it lies in, the more specific the further on.
  const ranges = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType];
  let most = -1;
  let taken = false;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const specific = ranges.indexOf(type);
    if (specific < most || specific === -1) continue;
    const excluded = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    taken = !excluded || (specific === most && taken);
    most = specific;
  }
  return taken;
}
