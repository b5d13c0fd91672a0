/** The context bench: our policies, and with peers installed here theirs, on the same seeded conversations. */
import { spawn } from 'node:child_process';
import { measureConstraintRot } from './constraint-rot.ts';
import { rulesTable, successTable, type SuccessRow } from './extra-tables.ts';
import { FORGETFUL, POLICIES } from './ours.ts';
import { readTasks } from './success.ts';
import { writeDocs } from './docs-table.ts';
import { installedPeers } from './peers.ts';
import type { Row } from './row.ts';
import { type Asked, QUICK, type ScenarioName } from './scenarios.ts';
import { scratchFolder } from './scratch.ts';
import { measureTargets } from './targets.ts';
import { tableOf } from './table.ts';

/** The machine has other work too. */
const AT_ONCE = 2;
const LONGEST_MS = 240_000;
const FULL = [...QUICK, 'images', 'cost-400'] as const;
/** Our own core by way of its façade, driven as the peers are. */
const FACADE = 'tandem openContext';
/** Measured once more with pauses in which the prompt cache expires. */
const PAUSED = ['agent-run', 'chat'] as const;

const flags = new Set(process.argv.slice(2));
/** `--success=<file>`: tasks in the shape of LongMemEval-S instead of the bench's own. */
const [success, tasksFile] = [...flags].find((flag) => /^--success(=|$)/.test(flag))?.split('=') ?? [];
for (const flag of flags)
  if (!['--json', '--quick', '--docs', '--rules'].includes(flag) && !/^--success(=.+)?$/.test(flag)) {
    process.stderr.write(
      `bench:context: ${flag} is not known. Expected --json, --quick, --docs, --rules, --success, --success=<file>.\n`,
    );
    process.exit(2);
  }

const scratch = scratchFolder();
const say = (text: string) => process.stderr.write(`${text}\n`);

function askedRows(): Asked[] {
  const scenarios = flags.has('--quick') ? QUICK : FULL;
  return [...ourRows(scenarios), ...peerRows(scenarios)];
}

function ourRows(scenarios: readonly ScenarioName[]): Asked[] {
  return scenarios.flatMap((scenario) =>
    [false, true].flatMap((auto) => POLICIES.map((policy): Asked => ({ system: 'tandem', scenario, policy, auto }))),
  );
}

function peerRows(scenarios: readonly ScenarioName[]): Asked[] {
  const systems = [FACADE, ...peers];
  return scenarios.flatMap((scenario) => systems.map((system): Asked => ({ system, scenario })));
}

function peersHere(): string[] {
  if (flags.has('--quick')) return [];
  const { found, missing } = installedPeers();
  for (const { name, why } of missing) say(`not measured: ${name}: ${why}`);
  return found;
}

/** Each row has its own process, so that its memory is released with it. */
function measure(asked: Asked): Promise<Row> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', new URL('row.ts', import.meta.url).pathname, JSON.stringify(asked)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
      // What peers leave in the system's temporary folder goes with the run.
      env: { ...process.env, TMPDIR: scratch },
    },
  );
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err = `${err}${chunk.toString()}`.slice(-4000)));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
      const line = out
        .trim()
        .split('\n')
        .findLast((one) => one.startsWith('{'));
      const row =
        code === 0 && line !== undefined
          ? (JSON.parse(line) as Row)
          : failed(asked, signal === null ? err : `stopped after ${LONGEST_MS / 1000} s`);
      say(
        `${row.system} ${row.policy ?? ''} · ${row.scenario} · ${took}${row.note === undefined ? '' : ` · ${row.note}`}`,
      );
      resolve(row);
    });
  });
}

function failed({ system, scenario, policy }: Asked, why: string): Row {
  const message = why.split('\n').find((line) => /Error|stopped/.test(line)) ?? why.trim().split('\n').at(-1) ?? '';
  return {
    system,
    scenario,
    ...(policy === undefined ? {} : { policy }),
    faults: 0,
    fits: false,
    factsPlanted: 0,
    factsKept: 0,
    factsAfterOne: { planted: 0, kept: 0 },
    factsLost: [],
    rounds: 0,
    staleThinking: 0,
    summariserTokens: 0,
    costUsd: 0,
    cpuMs: 0,
    peakMiB: 0,
    cacheRead: 0,
    note: `no result: ${message.slice(0, 200)}`,
  };
}

async function measureAll(asked: readonly Asked[]): Promise<Row[]> {
  const rows: Row[] = [];
  const queue = asked.map((one, place) => ({ one, place }));
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) rows[next.place] = await measure(next.one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return rows;
}

async function measureSuccess(): Promise<SuccessRow[]> {
  const tasks = readTasks(tasksFile);
  const asked = ['perfect', FORGETFUL].flatMap((summariser) =>
    [
      ...POLICIES.map((policy) => ({ system: 'tandem', policy })),
      ...[FACADE, ...peers].map((system) => ({ system })),
    ].flatMap((one) =>
      tasks.map((_, task): Asked => ({
        ...{ ...one, summariser, task, scenario: 'chat' },
        ...(tasksFile === undefined ? {} : { file: tasksFile }),
      })),
    ),
  );
  const rows = await measureAll(asked);
  return rows.map((row, place) => {
    const { task = 0, summariser = '' } = asked[place] ?? {};
    return { ...row, kind: tasks[task]?.kind ?? '', summariser };
  });
}

function sayTable(table: string, result: object): never {
  if (!flags.has('--json')) process.stdout.write(`${table}\n`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

const peers = peersHere();
if (flags.has('--rules')) {
  const report = await measureConstraintRot();
  sayTable(rulesTable(report), report);
}
if (success !== undefined) {
  const tasks = await measureSuccess();
  sayTable(successTable(tasks), { tasks });
}
const rows = await measureAll(askedRows());
const full = !flags.has('--quick');
const pauses = full ? await measureAll([...ourRows(PAUSED), ...peerRows(PAUSED)].map(paused)) : [];
const targets = full ? await measureTargets(measure, rows) : [];
if (!flags.has('--json')) process.stdout.write(`${tableOf(rows, targets, pauses)}\n`);
if (flags.has('--docs')) say(`wrote ${writeDocs(rows, targets, pauses)}`);
process.stdout.write(`${JSON.stringify({ rows, ...(full ? { targets, pauses } : {}) })}\n`);

function paused(asked: Asked): Asked {
  return { ...asked, pauses: true };
}
