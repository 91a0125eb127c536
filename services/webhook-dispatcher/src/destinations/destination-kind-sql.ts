/** Of rows of `endpoints`, or of a part of a statement that has their role: the URLs of sellers (url-kind.rules.ts). */
export const isUrl = (of?: string): string => `${of === undefined ? '' : `${of}.`}role <> 'automation'`;

/** The others (automation-kind.rules.ts). */
export const isAutomation = (of?: string): string => `${of === undefined ? '' : `${of}.`}role = 'automation'`;
