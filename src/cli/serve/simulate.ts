/** `tandem simulate`: the offline model alone, for other processes and for tests. */
import { writeFile } from 'node:fs/promises';
import { BatchFaultKind, parseBatchFault, startSimulator, type BatchFault } from '../../app/models/offline-model.ts';
import { findHome } from '../../config/home.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import { HarnessError } from '../../errors.ts';
import { stopped, type Call } from '../call.ts';
import { EXIT } from '../exit-code.ts';
import { wholeNumber } from '../numbers.ts';

export type SimulateOptions = {
  scenario: string;
  listen: string;
  portFile?: string | undefined;
  verbose?: boolean | undefined;
  latency?: string | undefined;
  batchDelay?: string | undefined;
  batchFault?: string[] | undefined;
};

/** Runs until the signal fires. */
export async function simulateCommand(options: SimulateOptions, { io, signal }: Call): Promise<number> {
  const { host, port } = parseAddress(options.listen);
  const scenario = await loadScenario(findHome(io.cwd), options.scenario);
  const simulator = await startSimulator({
    simulationDir: scenario.simulationDir,
    host,
    port,
    latencyMs: wholeNumber('--latency', options.latency ?? '0', { least: 0, most: 60_000 }),
    batchDelayMs: wholeNumber('--batch-delay', options.batchDelay ?? '0', { least: 0, most: 86_400_000 }),
    batchFaults: (options.batchFault ?? []).map(batchFault),
    onRequest: (record) => {
      if (options.verbose === true || record.status >= 400) io.err(JSON.stringify(record));
    },
  });
  try {
    if (options.portFile !== undefined) await writeFile(options.portFile, `${simulator.port}\n`);
    io.out(`The offline model of ${scenario.brief.name} listens on ${simulator.url}`);
    io.err(`Use it: ANTHROPIC_BASE_URL=${simulator.url} ANTHROPIC_API_KEY=offline tandem run ${scenario.brief.name}`);
    await stopped(signal);
  } finally {
    await simulator.close();
  }
  return EXIT.met;
}

function batchFault(text: string): BatchFault {
  const fault = parseBatchFault(text);
  if (fault !== undefined) return fault;
  throw new HarnessError(
    'usage',
    `--batch-fault "${text}": expected <kind>:<n>, of ${BatchFaultKind.options.join(', ')}.`,
  );
}

function parseAddress(text: string): { host: '127.0.0.1'; port: number } {
  const match = /^127\.0\.0\.1:(\d{1,5})$/.exec(text);
  const port = Number(match?.[1] ?? Number.NaN);
  if (!(port <= 65_535))
    throw new HarnessError(
      'usage',
      `--listen "${text}": expected 127.0.0.1:<port>; 0 takes a free one. The offline model serves loopback only.`,
    );
  return { host: '127.0.0.1', port };
}
