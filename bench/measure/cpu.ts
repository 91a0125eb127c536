import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { ProcessGroups } from '../system.ts';

export type CpuGroup = 'node' | 'postgres' | 'nats' | 'receiver' | 'load';

interface CpuReading {
  readonly atMs: number;
  /** Seconds of CPU since each process began. */
  readonly seconds: Record<CpuGroup, number>;
  /** What the whole machine was busy. */
  readonly machineSeconds: number;
}

export interface CpuUse {
  readonly microsecondsPerOperation: Record<CpuGroup, number>;
  /** All but the load generator and the receiver. */
  readonly systemMicroseconds: number;
  /** Share of the machine that processes outside this bench took meanwhile. */
  readonly foreignPercent: number;
}

/** USER_HZ: the unit of /proc/<pid>/stat on every Linux of today. */
const ticksPerSecond = 100;

export function requireProc(): void {
  if (process.platform !== 'linux') throw new Error('The bench reads CPU time from /proc and runs on Linux only');
}

export function readCpu(processes: ProcessGroups): CpuReading {
  const own = ticks(process.pid);
  return {
    atMs: performance.now(),
    seconds: {
      node: sum(processes.node),
      postgres: postgresSeconds(processes.postgres),
      nats: sum(processes.nats),
      receiver: sum(processes.receiver ?? []),
      // wrk is our child: its time is added to ours when it has ended.
      load: own.own + own.endedChildren,
    },
    machineSeconds: machineBusySeconds(),
  };
}

export function cpuBetween(before: CpuReading, after: CpuReading, operations: number): CpuUse {
  const spent = (group: CpuGroup) => after.seconds[group] - before.seconds[group];
  const each = (group: CpuGroup) => (spent(group) * 1e6) / Math.max(1, operations);
  const ours = spent('node') + spent('postgres') + spent('nats') + spent('receiver') + spent('load');
  const capacity = ((after.atMs - before.atMs) / 1000) * cpus().length;
  const foreign = Math.max(0, after.machineSeconds - before.machineSeconds - ours);
  return {
    microsecondsPerOperation: {
      node: each('node'),
      postgres: each('postgres'),
      nats: each('nats'),
      receiver: each('receiver'),
      load: each('load'),
    },
    systemMicroseconds: each('node') + each('postgres') + each('nats'),
    foreignPercent: (foreign / capacity) * 100,
  };
}

/** Resident memory in MB, now and at its peak. */
export function residentMemory(pid: number): { nowMb: number; peakMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { nowMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}

/** The postmaster's backends come and go: those that have ended are in its own figures. */
function postgresSeconds(postmaster: number): number {
  const { own, endedChildren } = ticks(postmaster);
  return own + endedChildren + sum(childrenOf(postmaster));
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}

function sum(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + ticks(pid).own, 0);
}

/** User and system time in seconds; nothing for a process that has just ended. */
function ticks(pid: number): { own: number; endedChildren: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the command's closing bracket come fields 3 and up; 14 to 17 are utime, stime, cutime, cstime.
    const [utime, stime, cutime, cstime] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
    return {
      own: ((utime ?? 0) + (stime ?? 0)) / ticksPerSecond,
      endedChildren: ((cutime ?? 0) + (cstime ?? 0)) / ticksPerSecond,
    };
  } catch {
    return { own: 0, endedChildren: 0 };
  }
}

/** Of all processes and cores since boot. */
export function machineBusySeconds(): number {
  const line = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0] ?? '';
  // cpu user nice system idle iowait irq softirq steal …; idle and iowait are not work.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond;
}
