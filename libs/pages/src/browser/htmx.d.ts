/** What our modules use of htmx 4. */
interface Htmx {
  registerExtension(name: string, extension: Readonly<Record<string, unknown>>): void;
}
declare var htmx: Htmx;
