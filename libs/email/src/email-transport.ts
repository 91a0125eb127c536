/** One message to one recipient. Values are plain text: they are encoded and escaped for where they go. */
export interface EmailMessage {
  /** Unique and stable: it becomes the Message-ID, so that a repeated message is recognised as the same one. */
  readonly id: string;
  /** Shown beside the deployment's own address. */
  readonly fromName: string;
  readonly to: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  /** HTML whose values were escaped by its author. */
  readonly html: string;
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly date: Date;
}

/**
 * - `taken`: the server took it, or the file is there.
 * - `refused`: the server said no to this message before it took it, and means it: it will say so again (RFC 5321, 5yz).
 * - `deferred`: the server did not take this message now, and may take it later (4yz).
 * - `unreachable`: nothing was submitted, and the next message would meet the same.
 * - `unknown`: the message was begun and no reply came; it may have been taken.
 */
export type Submission =
  | { readonly outcome: 'taken' }
  | {
      readonly outcome: 'refused' | 'deferred' | 'unreachable' | 'unknown';
      /** The server's own words, or why there are none: sellers read them, so no path and no address of ours is in them. */
      readonly detail: string;
      /** What `detail` leaves out, for the operator's log. */
      readonly cause?: string;
      /** The server was unreachable shortly before, and was not called for this message. */
      readonly isSkipped?: true;
    };

export interface EmailTransport {
  /** Never rejects: what went wrong is the outcome. Takes a minute at most. */
  send(message: EmailMessage): Promise<Submission>;
}
