/** A connection to PostgreSQL whose loss ends its query, and not the process; one that fell silent is lost. */
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

/** Longer than a call of Redis blocks. Routers and proxies drop connections without a word, and the system asks after minutes. */
export const SILENT_MS = 15_000;

/** A router that forgot a connection does not close its half of it, and the driver waits for that for ever. */
const GOODBYE_MS = 2000;

/**
 * The server asks whether its client is still there, and ends the session after half a minute without an answer. By itself it
 * asks after two hours, and connections of machines that are gone fill `max_connections` until then.
 */
const GONE_AFTER =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=30000';
/** The other direction: the system asks ten times more, each second. */
const ASK_AFTER_MS = 15_000;

/** Of the driver, without types. */
type Inside = { readyForQuery: boolean; connection: NodeJS.EventEmitter & { stream: Socket } };

/**
 * Nobody listens for errors of a connection that was taken out of its pool; Node ends a process for such an event. An idle
 * worker notices an outage in no other way.
 */
export function reconnectingClient(onError: (error: Error) => void, silentMs = SILENT_MS): typeof Client {
  return class ReconnectingClient extends Client {
    constructor(config?: string | ClientConfig) {
      const given = typeof config === 'string' ? { connectionString: config } : config;
      super({
        connectionTimeoutMillis: silentMs,
        // Else the server lets a lost session hold its locks for hours, and everybody waits for them.
        idle_in_transaction_session_timeout: silentMs,
        ...given,
        ...{ keepAlive: true, keepAliveInitialDelayMillis: ASK_AFTER_MS },
        options: [GONE_AFTER, given?.options].join(' ').trimEnd(),
      });
      this.on('error', onError);
      // With TLS there is another socket than at first.
      insideOf(this).connection.once('readyForQuery', () => this.#watch());
      insideOf(this).connection.once('readyForQuery', () => this.#endInTime());
    }

    // The queue's driver takes all listeners away before it says goodbye, and the server may be faster.
    override removeAllListeners(event?: string | symbol): this {
      super.removeAllListeners(...(event === undefined ? [] : [event]));
      return event === undefined || event === 'error' ? this.on('error', onError) : this;
    }

    #endInTime(): void {
      const { stream } = insideOf(this).connection;
      stream.once('finish', () => {
        const timer = setTimeout(() => stream.destroy(), GOODBYE_MS);
        stream.once('close', () => clearTimeout(timer));
      });
    }

    #watch(): void {
      const { stream } = insideOf(this).connection;
      const lost = new Error(`no answer within ${silentMs / 1000} s: the connection is lost`);
      const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
      let sentAt = performance.now();
      stream.write = (...args: unknown[]) => {
        sentAt = performance.now();
        return write(...args);
      };
      stream.setTimeout(silentMs).on('timeout', () => {
        if (insideOf(this).readyForQuery) return;
        // Whoever looks as often as this sends in the very turn in which the time is up, and Node fires the timer nevertheless.
        if (performance.now() - sentAt < silentMs / 2) stream.setTimeout(silentMs);
        else stream.destroy(lost);
      });
    }
  };
}

function insideOf(client: Client): Inside {
  return client as unknown as Inside;
}
