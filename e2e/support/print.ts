/** Writes a line of the report: what a script did, and what came of it. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
