/** `tandem simulate`: serves the offline model, or a relay to another, with faults, for processes and tests. */
import {
  FAULT_KINDS,
  parseFaultRate,
  startFaultRelay,
  startSimulator,
  type FaultRate,
  type FaultRelay,
} from '../../app/models/offline-model.ts';
import { findHome } from '../../config/home.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import { usageError } from '../../errors.ts';
import { waitForAbort, type Call } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import { parseWholeNumber } from '../parse-numbers.ts';
import { openPortFile } from './port-file.ts';

export type SimulateOptions = {
  relay?: string | undefined;
  faults?: string[] | undefined;
  seed?: string | undefined;
  listen: string;
  portFile?: string | undefined;
  verbose?: boolean | undefined;
  latency?: string | undefined;
};

/** Serves until the signal aborts. */
export async function simulateCommand(
  scenario: string | undefined,
  options: SimulateOptions,
  call: Call,
): Promise<number> {
  const { io, signal } = call;
  const { host, port } = parseAddress(options.listen);
  const portFile = openPortFile(options.portFile, io);
  const faults = (options.faults ?? []).map(parseFaultFlag);
  const total = faults.reduce((sum, { rate }) => sum + rate, 0);
  if (total > 1.000_001) throw usageError(`--faults: the rates add up to ${total}, more than 1.`);
  if ((scenario === undefined) === (options.relay === undefined))
    throw usageError(
      'Name either a scenario, whose scripts answer (tandem simulate refund-desk), or --relay, the address that does.',
    );
  const relayed = faults.length > 0 || options.relay !== undefined;
  const behind = await openUpstream({ ...options, wanted: scenario ?? '' }, { host, port: relayed ? 0 : port }, call);
  const front = relayed ? await openRelay({ options, upstream: behind.url, port, faults }, call) : behind;
  try {
    await portFile.write(new URL(front.url).port);
    const what = faults.length === 0 ? '' : `, with faults (${(options.faults ?? []).join(' ')})`;
    io.out(`${behind.name} listens on ${front.url}${what}`);
    io.err(`Use it: ANTHROPIC_BASE_URL=${front.url} ANTHROPIC_API_KEY=offline tandem run ${behind.run}`);
    await waitForAbort(signal);
  } finally {
    if (front !== behind) await front.close();
    await behind.close();
  }
  return EXIT.met;
}

type RelayUpstream = { url: string; name: string; run: string; close: () => Promise<void> };

async function openUpstream(
  options: SimulateOptions & { wanted: string },
  { host, port }: { host: '127.0.0.1'; port: number },
  { io }: Call,
): Promise<RelayUpstream> {
  const { relay, wanted } = options;
  if (relay !== undefined) {
    if (!URL.canParse(relay) || !/^https?:/.test(relay))
      throw usageError(`--relay "${relay}": expected an http(s) address.`);
    return { url: relay, name: `A relay to ${new URL(relay).origin}`, run: '<scenario>', close: async () => undefined };
  }
  const scenario = await loadScenario(findHome(io.cwd), wanted);
  const simulator = await startSimulator({
    simulationDir: scenario.simulationDir,
    host,
    port,
    latencyMs: parseWholeNumber('--latency', options.latency ?? '0', { least: 0, most: 60_000 }),
    onRequest: (record) => {
      if (options.verbose === true || record.status >= 400) io.err(JSON.stringify(record));
    },
  });
  const { name } = scenario.brief;
  return { url: simulator.url, name: `The offline model of ${name}`, run: name, close: () => simulator.close() };
}

type RelaySettings = { options: SimulateOptions; upstream: string; port: number; faults: FaultRate[] };

function openRelay({ options, upstream, port, faults }: RelaySettings, { io }: Call): Promise<FaultRelay> {
  return startFaultRelay({
    ...{ upstream, port, faults },
    seed: parseWholeNumber('--seed', options.seed ?? '1', { least: 0, most: 2 ** 32 }),
    onRequest: (record) => {
      if (options.verbose === true || record.fault !== undefined) io.err(JSON.stringify(record));
    },
  });
}

function parseFaultFlag(text: string): FaultRate {
  const rate = parseFaultRate(text);
  if (rate !== undefined) return rate;
  throw usageError(`--faults "${text}": expected <kind> or <kind>:<rate up to 1>, of ${FAULT_KINDS.join(', ')}.`);
}

function parseAddress(text: string): { host: '127.0.0.1'; port: number } {
  const match = /^127\.0\.0\.1:(\d{1,5})$/.exec(text);
  const port = Number(match?.[1] ?? Number.NaN);
  if (!(port <= 65_535))
    throw usageError(
      `--listen "${text}": expected 127.0.0.1:<port>; 0 takes a free one. The offline model serves loopback only.`,
    );
  return { host: '127.0.0.1', port };
}
