/**
 * What V8 is given for `npm start`, whose process runs all seven services; decision 0028 has the measurements. Images and
 * Kubernetes start one service a process with V8's own settings.
 *
 * `npm ci` compiles the bundle under the same flags: V8 refuses code that was compiled under others.
 */
export const v8Flags = [
  // MB of the old heap: a leak ends the process before the machine swaps.
  '--max-old-space-size=256',
  // MB of each half of the young heap. It begins large, as loading the code would collect fourteen times otherwise.
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  // The old heap doubles between two full collections; V8 would collect after a third of that growth.
  '--heap-growing-percent=100',
];
