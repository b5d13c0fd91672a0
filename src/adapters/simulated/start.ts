/** Starts the offline model: a strict Messages API server on loopback that plays scripts. */
import { once } from 'node:events';
import { HarnessError, messageOf } from '../../errors.ts';
import { createBatchEndpoint } from './batches/batch-endpoint.ts';
import type { BatchFault } from './batches/batch-fault.ts';
import type { SimulatedBatch } from './batches/batch-shape.ts';
import { createSimulatedPromptCache } from './cache.ts';
import { createFaultPlan } from './faults.ts';
import { loadScripts } from './scripts/load-scripts.ts';
import { createResponder, type RequestRecord } from './respond.ts';
import { type InjectedFault, type Player, Script, type ScriptInput } from './scripts/script.ts';
import { createWire } from './server.ts';

export type SimulatorOptions = {
  /** Folder of the scripts; their content files lie in it. */
  simulationDir: string | undefined;
  /** More scripts, without files of their own. */
  scripts?: readonly ScriptInput[];
  /** A loopback address: 127.0.0.1 unless set. */
  host?: string;
  /** 0 takes a free one. */
  port?: number;
  /** Decides on retirement and on the life of the cache. */
  now?: () => Date;
  /** Whether bound thinking is checked by default; true, as for every new account. */
  enforceBinding?: boolean;
  latencyMs?: number;
  faults?: readonly InjectedFault[];
  /** How long a batch takes; 0 unless set. */
  batchDelayMs?: number;
  batchFaults?: readonly BatchFault[];
  onRequest?: (record: RequestRecord) => void;
};

export type Simulator = {
  url: string;
  port: number;
  /** The newest requests, oldest first. */
  requests: readonly RequestRecord[];
  /** Every batch that was created, with its results when it has ended. */
  batches: readonly SimulatedBatch[];
  close(): Promise<void>;
};

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const KEPT_RECORDS = 10_000;

/** Contract: `config_invalid` names a broken script's file and line; `usage` any address but loopback. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0 } = options;
  if (!LOOPBACK.has(host)) {
    throw new HarnessError('usage', `The simulator serves loopback only, not ${host}; use 127.0.0.1.`);
  }
  const players = readPlayers(options);
  const requests: RequestRecord[] = [];
  const closing = new AbortController();
  const now = options.now ?? (() => new Date());
  const { batchDelayMs: delayMs = 0, batchFaults = [] } = options;
  const batches = createBatchEndpoint({ now, delayMs, faults: batchFaults });
  const server = createWire({
    respond: createResponder({
      players,
      cache: createSimulatedPromptCache(),
      faults: createFaultPlan([...players.flatMap(({ script }) => script.faults), ...(options.faults ?? [])]),
      batches,
      now,
      enforceBinding: options.enforceBinding ?? true,
    }),
    onRequest(record) {
      requests.push(record);
      if (requests.length > KEPT_RECORDS) requests.shift();
      options.onRequest?.(record);
    },
    latencyMs: options.latencyMs ?? 0,
    closing: closing.signal,
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new HarnessError('usage', `The simulator cannot listen on ${host}:${port}: ${messageOf(error)}.`, {
      cause: error,
    });
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${bound}`,
    port: bound,
    requests,
    batches: batches.batches,
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function readPlayers({ simulationDir: dir, scripts = [] }: SimulatorOptions): Player[] {
  const loaded = dir === undefined ? [] : loadScripts(dir);
  return [
    ...loaded.map((script) => ({ script, dir })),
    ...scripts.map((script, index) => ({ script: readScript(script, index), dir: undefined })),
  ];
}

function readScript(script: ScriptInput, index: number): Script {
  const parsed = Script.safeParse(script);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HarnessError('config_invalid', `scripts[${index}].${issue?.path.join('.')}: ${issue?.message}.`);
}
