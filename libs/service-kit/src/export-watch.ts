import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** Said once when a collector takes no more spans, and once when it takes them again. */
export interface ExportWatch {
  lost(reason: string): void;
  restored(spans: number): void;
}

/** The same exporter, watched: without it nobody hears that traces are lost. */
export function watchExports(exporter: SpanExporter, watch: ExportWatch): SpanExporter {
  let lost = 0;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.code !== 0) {
          if (lost === 0) watch.lost(result.error?.message ?? 'it refuses them');
          lost += spans.length;
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
