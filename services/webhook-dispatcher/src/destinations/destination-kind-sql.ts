import { automationKind } from './automation-kind.rules.ts';
import type { DestinationKind } from './destination-kind.types.ts';
import { urlKind } from './url-kind.rules.ts';

/** Of rows of `endpoints`, or of a part of a statement that has their role: the URLs of sellers (url-kind.rules.ts). */
export const isUrl = (of?: string): string => `${of === undefined ? '' : `${of}.`}role <> 'automation'`;

/** The others (automation-kind.rules.ts). */
export const isAutomation = (of?: string): string => `${of === undefined ? '' : `${of}.`}role = 'automation'`;

/** Those whose deliveries become so while they are off: `whileOff` of their kind. */
export function whoseWhileOff(becomes: DestinationKind['whileOff'], of?: string): string {
  const kinds = [
    { kind: urlKind, is: isUrl(of) },
    { kind: automationKind, is: isAutomation(of) },
  ];
  const matching = kinds.filter(({ kind }) => kind.whileOff === becomes).map(({ is }) => is);
  return `(${matching.join(' or ') || 'false'})`;
}
