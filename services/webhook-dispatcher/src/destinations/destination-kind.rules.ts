import { automationKind } from './automation-kind.rules.ts';
import type { DestinationKind, Role } from './destination-kind.types.ts';
import { urlKind } from './url-kind.rules.ts';

/** Alone branches on the role of a row. */
export const kindOf = (role: Role): DestinationKind => (role === 'automation' ? automationKind : urlKind);
