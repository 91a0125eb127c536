/** Said once when a collector takes no more, and once when it takes it again. */
export interface ExportWatch {
  lost(reason: string): void;
  /** @param lost how much was lost in between */
  restored(lost: number): void;
}

interface Result {
  readonly code: number;
  readonly error?: Error;
}

/** What the SDK's exporters of spans and of metrics have in common. */
interface Exporter<T> {
  export(items: T, done: (result: Result) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

/**
 * The same exporter, watched: without it no log says that what is exported is lost.
 * @param sizeOf how much an export holds
 */
export function watchExports<T>(
  exporter: Exporter<T>,
  sizeOf: (items: T) => number,
  watch: ExportWatch,
): Required<Exporter<T>> {
  let lost = 0;
  return {
    export: (items, done) => {
      exporter.export(items, (result) => {
        if (result.code !== 0) {
          if (lost === 0) watch.lost(result.error?.message ?? 'it refuses them');
          lost += sizeOf(items);
        } else if (lost > 0) {
          watch.restored(lost);
          lost = 0;
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}
