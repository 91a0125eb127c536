const sorted = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b);
export const median = (times: readonly number[]): number => sorted(times)[Math.floor(times.length / 2)] ?? Number.NaN;
export const p95 = (times: readonly number[]): number => sorted(times)[Math.floor(times.length * 0.95)] ?? Number.NaN;
export const ratio = (one: number, other: number): string => `× ${(one / other).toFixed(2)}`;
