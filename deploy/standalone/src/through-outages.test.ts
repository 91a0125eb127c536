import { expect, test, vi } from 'vitest';
import { throughOutages } from './through-outages.ts';

const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('work is begun again after an outage, which is said once', async () => {
  const work = vi.fn().mockRejectedValueOnce(outage).mockRejectedValueOnce(outage).mockResolvedValue('done');
  const said: string[] = [];
  expect(await throughOutages(work, (line) => said.push(line))).toBe('done');
  expect(said).toEqual(['the first seller is not ready yet, trying again: connect ECONNREFUSED']);
});

test('an error that is no outage is thrown at once, and an outage after a minute', async () => {
  const say = vi.fn();
  await expect(throughOutages(() => Promise.reject(new Error('no such table')), say)).rejects.toThrow('no such table');
  expect(say).not.toHaveBeenCalled();
  const clock = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(0).mockReturnValue(60_001);
  await expect(throughOutages(() => Promise.reject(outage), say)).rejects.toThrow('ECONNREFUSED');
  expect(say).toHaveBeenCalledOnce();
  clock.mockRestore();
});
