/** The beginning of a text that is too long, with a mark that it is one. */
export function excerpt(text: string, lengthMax: number): string {
  // A cut pair of surrogates would be no text any more.
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}
