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

async function portsOfAnother(): Promise<{ pid: number; ports: number[] }> {
  const module = JSON.stringify(new URL('../src/ports.ts', import.meta.url).href);
  const script = `const { freePort } = await import(${module});
    const ports = [];
    while (ports.length < ${count}) ports.push(await freePort());
    console.log(JSON.stringify({ pid: process.pid, ports }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

test('a port that was found, and that no process listens on yet, is not found again, here or in another process', async () => {
  const own = await portsOfThisProcess();
  expect(new Set(own).size).toBe(count);
  let other = await portsOfAnother();
  // One process in 61 probes the same ports as this one.
  while (other.pid % 61 === process.pid % 61) other = await portsOfAnother();
  expect(other.ports.filter((port) => own.includes(port))).toEqual([]);
});
