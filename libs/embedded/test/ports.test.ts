import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from '../src/ports.ts';

const count = 200;

async function portsOfThisProcess(): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function portsOfAnother(): Promise<number[]> {
  const module = JSON.stringify(new URL('../src/ports.ts', import.meta.url).href);
  const script = `const { freePort } = await import(${module});
    const ports = [];
    while (ports.length < ${3 * count}) ports.push(await freePort());
    console.log(JSON.stringify(ports));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

test('a port that was found, and that no process listens on yet, is not found again, here or in another process', async () => {
  const own = await portsOfThisProcess();
  expect(new Set(own).size).toBe(count);
  // It gets so many that without a reservation about seven of them would be among those of this process.
  const others = await portsOfAnother();
  expect(others.filter((port) => own.includes(port))).toEqual([]);
});
