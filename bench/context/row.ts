/** One measurement, in a process of its own so that its memory is its own: prints a row as JSON. */
import { ourRow } from './ours.ts';
import type { Message } from '../../src/transcript/message.ts';
import { withPauses } from './pauses.ts';
import { readTasks } from './success.ts';
import { makeScenario, SCENARIOS, type Asked } from './scenarios.ts';

export type Row = {
  system: string;
  scenario: string;
  policy?: string;
  /** Requests that the API would refuse. */
  faults: number;
  /** Every request fitted the window beside its answer, and nothing stopped the session. */
  fits: boolean;
  factsPlanted: number;
  factsKept: number;
  /** Facts in the view after the first rewrite of the prefix, and how many there could be. */
  factsAfterOne: { planted: number; kept: number };
  /** Those that were missing while they were needed. */
  factsLost: string[];
  rounds: number;
  staleThinking: number;
  /** Tokens that the summariser was shown. */
  summariserTokens: number;
  costUsd: number;
  cpuMs: number;
  peakMiB: number;
  /** Of all input tokens of ordinary calls. */
  cacheRead: number;
  /** Set for a task of `--success`. */
  solved?: boolean;
  note?: string;
};

type Measured = Omit<Row, 'cpuMs' | 'peakMiB' | 'system' | 'scenario'> & { lastRequest: readonly Message[] };

async function measure(asked: Asked): Promise<Row> {
  const task = asked.task === undefined ? undefined : readTasks(asked.file)[asked.task];
  const plain = task ?? makeScenario(asked.scenario);
  const scenario = asked.pauses === true ? withPauses(plain) : plain;
  const before = { memory: process.memoryUsage().rss, cpu: process.cpuUsage() };
  const { lastRequest, ...made }: Measured =
    asked.system === 'tandem'
      ? await ourRow(scenario, asked)
      : await (await import('./peer-row.ts')).peerRow(scenario, asked);
  const { user, system } = process.cpuUsage(before.cpu);
  const peak = process.resourceUsage().maxRSS * 1024 - before.memory;
  return {
    system: asked.system,
    scenario: asked.scenario,
    ...made,
    ...(task === undefined ? {} : { scenario: task.name, solved: task.solves(lastRequest) }),
    cpuMs: Math.round((user + system) / 1000),
    peakMiB: Math.max(0, Math.round(peak / 1_048_576)),
  };
}

const [, , text = '{}'] = process.argv;
const asked = JSON.parse(text) as Asked;
if (!SCENARIOS.includes(asked.scenario)) throw new Error(`no scenario is named ${asked.scenario}`);
process.stdout.write(`${JSON.stringify(await measure(asked))}\n`);
