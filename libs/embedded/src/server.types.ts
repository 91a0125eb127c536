/** What a start takes, whichever server it is. */
export interface ServerOptions {
  /** Made when missing; the same directory and port again is the same server again. */
  dataDir: string;
  /** Default: a free port of 127.0.0.1. */
  port?: number;
  /** Never the default: another server, which starts later, is to listen there. */
  avoidPort?: number;
  log?: (line: string) => void;
  /** Gets all that the server writes, in whole lines. */
  serverLog?: (text: string) => void;
}

export interface RunningServer {
  url: string;
  port: number;
  pid: number;
  /** Resolves with the reason once it has ended. */
  readonly ended: Promise<string>;
  /** Stops it within a few seconds, with all that it has written; does nothing the second time. */
  stop(): Promise<void>;
}
