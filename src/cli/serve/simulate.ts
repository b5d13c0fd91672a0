/** `tandem simulate`: serves the offline model of a scenario for other processes. */
import { startSimulator } from '../../app/models/offline-model.ts';
import { findHome } from '../../config/home.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import { usageError } from '../../errors.ts';
import { waitForAbort, type BooleanFlags, type Call, EXIT, type TextFlags } from '../command-context.ts';
import { parseWholeNumber } from '../parse-numbers.ts';
import { openPortFile } from './listen-address.ts';

type SimulateOptions = TextFlags<'portFile' | 'latency'> & BooleanFlags<'verbose'> & { listen: string };

/** Serves until the signal aborts. */
export async function simulateCommand(
  scenario: string,
  options: SimulateOptions,
  { io, signal }: Call,
): Promise<number> {
  const address = parseAddress(options.listen);
  const portFile = openPortFile(options.portFile, io);
  const { simulationDir, brief } = await loadScenario(findHome(io.cwd), scenario);
  const simulator = await startSimulator({
    ...address,
    simulationDir,
    latencyMs: parseWholeNumber('--latency', options.latency ?? '0', { least: 0, most: 60_000 }),
    onRequest: (record) => {
      if (options.verbose === true || record.status >= 400) io.err(JSON.stringify(record));
    },
  });
  try {
    await portFile.write(new URL(simulator.url).port);
    io.out(`The offline model of ${brief.name} listens on ${simulator.url}`);
    io.err(`Use it: ANTHROPIC_BASE_URL=${simulator.url} ANTHROPIC_API_KEY=offline tandem run ${brief.name}`);
    await waitForAbort(signal);
  } finally {
    await simulator.close();
  }
  return EXIT.met;
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
