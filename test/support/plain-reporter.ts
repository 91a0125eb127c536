import type { Reporter, TestModule } from 'vitest/node';

/** Closes the run with one uncoloured line, `N passed, N failed`, for a program that reads the log. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    // A file that cannot be loaded has no tests to fail, and an error outside of any test fails the run too.
    let failed = unhandledErrors.length;
    for (const testModule of testModules) {
      const failedBefore = failed;
      for (const test of testModule.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
      }
      if (!testModule.ok() && failed === failedBefore) failed += 1;
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  }
}
