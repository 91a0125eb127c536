/** What the helpers of a test file report to its leak guard. Files of one process share it. */
export const leakWatch: { active: boolean; found: string[] } = { active: false, found: [] };
