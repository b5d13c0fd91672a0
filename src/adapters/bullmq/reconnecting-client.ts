/** A PostgreSQL client whose lost connection ends its query but not the process; a silent connection counts as lost. */
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { SILENT_MS } from './redis-client.ts';

/** The longest wait at closing: a router that forgot a connection never closes its half of it. */
const GOODBYE_MS = 2000;

/**
 * Makes the server check whether its client is still there, and end the session after half a minute without an answer.
 * The default is two hours, until which connections of lost machines fill `max_connections`.
 */
const GONE_AFTER =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=30000';
/** The client's system checks the server too: after this time, ten times, each second. */
const ASK_AFTER_MS = 15_000;

/** Members of the driver that its types do not declare. */
type DriverInternals = { readyForQuery: boolean; connection: NodeJS.EventEmitter & { stream: Socket } };

/**
 * Nobody listens for errors of a connection that was taken out of its pool, and such an event ends a Node process. An
 * idle worker notices an outage in no other way.
 */
export function reconnectingClient(onError: (error: Error) => void, silentMs = SILENT_MS): typeof Client {
  return class ReconnectingClient extends Client {
    constructor(config?: string | ClientConfig) {
      const given = typeof config === 'string' ? { connectionString: config } : config;
      super({
        connectionTimeoutMillis: silentMs,
        // Otherwise the server lets a lost session hold its locks for hours, and everybody waits for them.
        idle_in_transaction_session_timeout: silentMs,
        ...given,
        ...{ keepAlive: true, keepAliveInitialDelayMillis: ASK_AFTER_MS },
        options: [GONE_AFTER, given?.options].join(' ').trimEnd(),
      });
      this.on('error', onError);
      // With TLS the socket is another one than at first.
      getInternals(this).connection.once('readyForQuery', () => this.#watch());
      getInternals(this).connection.once('readyForQuery', () => this.#endInTime());
    }

    // The queue's driver removes all listeners before it disconnects, and the server may close the connection first.
    override removeAllListeners(event?: string | symbol): this {
      super.removeAllListeners(...(event === undefined ? [] : [event]));
      return event === undefined || event === 'error' ? this.on('error', onError) : this;
    }

    #endInTime(): void {
      const { stream } = getInternals(this).connection;
      stream.once('finish', () => {
        const timer = setTimeout(() => stream.destroy(), GOODBYE_MS);
        stream.once('close', () => clearTimeout(timer));
      });
    }

    #watch(): void {
      const { stream } = getInternals(this).connection;
      const lost = new Error(`no answer within ${silentMs / 1000} s: the connection is lost`);
      const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
      let sentAt = performance.now();
      stream.write = (...args: unknown[]) => {
        sentAt = performance.now();
        return write(...args);
      };
      stream.setTimeout(silentMs).on('timeout', () => {
        if (getInternals(this).readyForQuery) return;
        // A query sent in the very turn in which the time is up does not stop Node's timer, so it is started again.
        if (performance.now() - sentAt < silentMs / 2) stream.setTimeout(silentMs);
        else stream.destroy(lost);
      });
    }
  };
}

function getInternals(client: Client): DriverInternals {
  return client as unknown as DriverInternals;
}
