/** The deepest body we take has five levels (a tool call with an array of objects); clients may add some `_meta`. */
export const jsonDepthMax = 32;

const quote = 0x22;
const backslash = 0x5c;
/** What a byte outside of texts adds to the depth: one for [ and {, minus one for ] and }. */
const steps = new Int8Array(256);
for (const opening of '[{') steps[opening.charCodeAt(0)] = 1;
for (const closing of ']}') steps[closing.charCodeAt(0)] = -1;

/**
 * Whether JSON opens more levels at once than anything we take: whatever walks through it later (schemas, copies,
 * `JSON.stringify`) does so by recursion. Reads each byte once, which takes about a millisecond for the largest body.
 */
export function isTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i] as number;
    if (byte === quote) i = endOfText(json, i);
    depth += steps[byte] as number;
    if (depth > jsonDepthMax) return true;
  }
  return false;
}

/** Where the text that begins at `start` has its closing quote. */
function endOfText(json: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < json.length && json[i] !== quote) i += json[i] === backslash ? 2 : 1;
  return i;
}
