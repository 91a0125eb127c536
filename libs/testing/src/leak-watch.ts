/** What the helpers of a test file tell its leak guard; each test file has its own copy of this module. */
export const leakWatch: { active: boolean; found: string[] } = { active: false, found: [] };
