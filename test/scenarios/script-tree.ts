/** Plays a simulation script against files in memory: what the run folder would hold after each step. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadScripts } from '../../src/adapters/simulated/scripts/load-scripts.ts';
import type { Script, ScriptCall, ScriptTurn } from '../../src/adapters/simulated/scripts/script.ts';

/** Logical path of the run -> text. */
export type Tree = Map<string, string>;

export type Simulation = { dir: string; scripts: Script[] };

export function openSimulation(dir: string): Simulation {
  return { dir, scripts: loadScripts(dir) };
}

export function scriptOf({ scripts }: Simulation, who: string): Script {
  const found = scripts.find((script) => script.who === who);
  if (found === undefined) throw new Error(`no script is named ${who}`);
  return found;
}

/** The only turn that a message answers, as the server would choose it when nothing else was said. */
export function turnFor(script: Script, message: string, system = ''): ScriptTurn {
  const fitting = script.turns.filter(
    (turn) =>
      message.includes(turn.marker) &&
      (turn.unless === undefined || !message.includes(turn.unless)) &&
      (turn.system_includes === undefined || system.includes(turn.system_includes)) &&
      (turn.system_excludes === undefined || !system.includes(turn.system_excludes)),
  );
  if (fitting.length !== 1 || fitting[0] === undefined) {
    throw new Error(`${script.who}: ${fitting.length} turns answer ${JSON.stringify(message.slice(0, 80))}`);
  }
  return fitting[0];
}

/** The files that Init may read, under the names it reads them by. */
export function sourcesOf(scenarioDir: string, reads: readonly string[]): Tree {
  return new Map(reads.map((path) => [`scenario/${path}`, readFileSync(join(scenarioDir, path), 'utf8')]));
}

/** What the harness does before an agent starts: a copy of the last folder. */
export function copyFolder(tree: Tree, from: string, to: string, parts: readonly string[] = ['']): void {
  for (const [path, text] of tree) {
    if (parts.some((part) => path.startsWith(join(from, part, '/')))) tree.set(to + path.slice(from.length), text);
  }
}

/** Plays every file call of a turn; `onSubmit` sees the tree as it is when a control tool is called. */
export function playTurn(
  simulation: Simulation,
  turn: ScriptTurn,
  tree: Tree,
  onSubmit: (tool: string, input: Record<string, unknown>) => void = () => {},
): void {
  for (const step of turn.steps) {
    for (const call of step.calls) {
      playCall(simulation.dir, call, tree);
      if (/^(submit_|return_)/.test(call.tool)) onSubmit(call.tool, call.input);
    }
  }
}

function playCall(dir: string, call: ScriptCall, tree: Tree): void {
  const path = pathOf(call);
  const known = path === undefined ? undefined : tree.get(path);
  if (call.tool === 'write' && path !== undefined) tree.set(path, contentOf(dir, call));
  if (call.tool === 'read' && known === undefined && !isMadeByHarness(path))
    throw new Error(`nothing to read at ${path}`);
  if (call.tool !== 'edit' || path === undefined) return;
  const { old_string: before, new_string: after } = call.input;
  if (typeof before !== 'string' || typeof after !== 'string') throw new Error(`edit of ${path} without its strings`);
  const times = (known ?? '').split(before).length - 1;
  if (times !== 1) throw new Error(`edit of ${path}: old_string occurs ${times} times`);
  tree.set(
    path,
    (known ?? '').replace(before, () => after),
  );
}

function isMadeByHarness(path: string | undefined): boolean {
  return path !== undefined && /\/(traces\/[a-z0-9-]+\.1\.jsonl|layer1_problems\.json)$/.test(path);
}

export function pathOf(call: ScriptCall): string | undefined {
  const path = call.input['file_path'];
  return typeof path === 'string' ? path : undefined;
}

function contentOf(dir: string, call: ScriptCall): string {
  if (call.content_file !== undefined) return readFileSync(join(dir, call.content_file), 'utf8');
  const content = call.input['content'];
  if (typeof content !== 'string') throw new Error(`write of ${pathOf(call)} without content`);
  return content;
}

/**
 * What a turn does to files, as `verb path`. A step counts as done when the ledger names its files, so a verb must not
 * meet the same path twice in one agent's conversation.
 */
export function fileActs(turns: readonly ScriptTurn[]): string[] {
  const calls = turns.flatMap((turn) => turn.steps.flatMap((step) => step.calls));
  return calls.flatMap((call) => {
    const path = pathOf(call);
    return path === undefined ? [] : [`${call.tool} ${path}`];
  });
}

/** Every path that a turn's summary cites; `task` is no path. */
export function citedPaths(turn: ScriptTurn): string[] {
  return [...JSON.stringify(turn.summary ?? {}).matchAll(/\{\{cite:([^}]+)\}\}/g)]
    .map((match) => match[1] ?? '')
    .filter((path) => path !== 'task');
}

/** The files of `simulation/files` that no script uses. */
export function unusedFiles({ dir, scripts }: Simulation): string[] {
  const used = new Set(
    scripts.flatMap((script) =>
      script.turns.flatMap((turn) => turn.steps.flatMap((step) => step.calls.map((call) => call.content_file))),
    ),
  );
  const entries = readdirSync(join(dir, 'files'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => relative(dir, file)).filter((file) => !used.has(file));
}
