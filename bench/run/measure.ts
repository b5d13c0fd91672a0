/** The numbers of one tree: a run as it is shipped, one without compactions, one that stops at its gate, and an approval. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { approve } from './approve.ts';
import { FACTS, FOLD, FOLDED_EVENT, LEDGER, PROJECTION, SPENDING_FILES, type Named } from './names.ts';
import type { Noted, Operation } from './preload.ts';
import { finish, lastJson, newProject, ROOMY, SAME_WORK, scratch, refuseEnd, start, type Tree } from './tree.ts';

const RUN = 'bench';
/** Read by whoever reads the whole journal: a look at a run's birth reads the event before, an append the newest. */
const SECOND_EVENT = /\/events\/000001\.json$/;
const SCENARIOS = /^scenarios$/;
const EVENT = /\/events\/\d{6}\.json$/;

type Result = { modelCalls: number; compactions: Record<string, number> };
/** Undefined: that tree has no function of any known name. */
export type Numbers = Record<string, number | undefined>;

const command = (profile: string, ...more: string[]) =>
  ['run', 'refund-desk', '--profile', profile, '--json', '--id', RUN, ...more] as const;

/** All that can be counted, and so needs to be done once only. */
export async function countAll(tree: Tree): Promise<Numbers> {
  const [shipped, roomy, waiting] = [newProject(tree), newProject(tree), newProject(tree)];
  const whole = await finish({ tree, project: shipped, args: command('demo'), count: true });
  const plain = await finish({ tree, project: roomy, args: command(ROOMY), count: true });
  const gated = await finish({ tree, project: waiting, args: command('demo', '--on-gate', 'exit'), count: true }, 4);
  const { page, terminal } = await approve(tree, waiting, RUN);
  const result = lastJson<Result>(whole.out);
  const compactions = sum(Object.values(result.compactions));
  const added = (named: Named) => {
    const [more, less] = [callsOf(whole.noted, named), callsOf(plain.noted, named)];
    return more === undefined || less === undefined ? undefined : (more - less) / compactions;
  };
  const work = spendingWork(whole.noted) / result.modelCalls;
  const first = spendingWork(gated.noted) / lastJson<Result>(gated.out).modelCalls;
  const ran = whole.noted.scripts.filter(({ functions }) => functions.some(({ calls }) => calls > 0));
  return {
    ...journalNumbers(whole.noted, readdirSync(join(shipped, 'scenarios/refund-desk/runs', RUN, 'events')).length),
    folds: callsOf(whole.noted, FOLD),
    folded: callsOf(whole.noted, FOLDED_EVENT),
    walks: tally(whole.noted.operations, 'list', SCENARIOS),
    lists: tally(whole.noted.operations, 'list', /./),
    projections: added(PROJECTION),
    facts: added(FACTS),
    ledgers: added(LEDGER),
    spending: work,
    spendingGrowth: work / first,
    spendingCopied: sum(copiesIn(whole.noted)) / result.modelCalls,
    pageReads: tally(page, 'read', SECOND_EVENT),
    pageWalks: tally(page, 'list', SCENARIOS),
    terminalReads: tally(terminal, 'read', SECOND_EVENT),
    files: ran.length,
    allFiles: readdirSync(join(tree.dir, 'src'), { recursive: true }).filter((name) => /\.m?ts$/.test(`${name}`))
      .length,
    functions: sum(ran.map(({ functions }) => functions.filter(({ calls }) => calls > 0).length)),
  };
}

function journalNumbers({ operations }: Noted, events: number): Numbers {
  const hashed = operations.filter(({ kind }) => kind === 'hash');
  const hashes = Map.groupBy(hashed, ({ what }) => what);
  // One hash of each event is the one that it was written with.
  const checks = [...hashes.values()].map(({ length }) => length - 1);
  return {
    journalReads: tally(operations, 'read', SECOND_EVENT),
    eventReads: tally(operations, 'read', EVENT) / events,
    checks: Math.max(...checks),
  };
}

function tally(operations: readonly Operation[], kind: Operation['kind'], path: RegExp): number {
  return operations.filter((one) => one.kind === kind && path.test(one.what)).length;
}

function callsOf({ scripts }: Noted, { names, file }: Named): number | undefined {
  const found = scripts
    .filter((script) => file.test(script.file))
    .flatMap(({ functions }) => functions.filter(({ name }) => names.includes(name)));
  return found.length === 0 ? undefined : sum(found.map(({ calls }) => calls));
}

/** Calls, branches and turns of loops of the ledger, and the elements of maps that it copied. */
function spendingWork(noted: Noted): number {
  const functions = noted.scripts.flatMap((one) => (SPENDING_FILES.test(one.file) ? one.functions : []));
  if (functions.length === 0) return Number.NaN;
  return sum(functions.map(({ calls, blocks }) => calls + blocks)) + sum(copiesIn(noted));
}

function copiesIn({ operations }: Noted): number[] {
  const copies = operations.filter(({ kind }) => kind === 'copy').map(({ what }) => what.split(' '));
  return copies.flatMap(([file = '', size]) => (SPENDING_FILES.test(file) ? [Number(size)] : []));
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

/** Processor time of a run as shipped, and of one that does only what the baseline does. */
export type Timed = { cpu: number; cpuSameWork: number };

/** The model answers from a process of its own and at once; compiled code is kept from the first run on, which does not count. */
export async function openTimed(tree: Tree): Promise<{ run: () => Promise<Timed>; close: () => Promise<void> }> {
  const portFile = join(scratch, `port-${tree.name}`);
  // The baseline still has it as a flag.
  const scenario = tree.name === 'now' ? ['refund-desk'] : ['--scenario', 'refund-desk'];
  const args = ['simulate', ...scenario, '--port-file', portFile, '--latency', '0'];
  const simulator = start({ tree, project: newProject(tree), args, count: false });
  // A file that is there may still be empty.
  const portNow = () => (existsSync(portFile) ? readFileSync(portFile, 'utf8').trim() : '');
  while (portNow() === '') await Promise.race([pause(50), simulator.ended.then(refuseEnd)]);
  const port = portNow();
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'offline' };
  const cpuOf = async (profile: string): Promise<number> =>
    (await finish({ tree, args: command(profile), count: false, env, project: newProject(tree) })).noted.cpuMs;
  const run = async (): Promise<Timed> => ({ cpu: await cpuOf('demo'), cpuSameWork: await cpuOf(SAME_WORK) });
  await cpuOf('demo');
  const close = async () => {
    simulator.child.kill('SIGTERM');
    await simulator.ended;
  };
  return { run, close };
}

/** Files and processor time depend on which walls the machine has. */
export async function sandboxOf(tree: Tree): Promise<string> {
  const { out } = await start({ tree, project: newProject(tree), args: ['doctor', '--json'], count: false }).ended;
  const checks = lastJson<{ name: string; detail: string }[]>(out);
  return checks.find(({ name }) => name === 'sandbox')?.detail ?? 'unknown';
}
