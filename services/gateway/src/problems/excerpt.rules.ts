/** The beginning of a text that is too long, with a mark that it is one. */
export function excerpt(text: string, lengthMax: number): string {
  // The cut may leave half of a surrogate pair, which is no valid text.
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}
