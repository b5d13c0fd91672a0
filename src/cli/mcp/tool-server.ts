/** Offers tools and resources to another agent; a command of this program answers each. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { HarnessError, describeError, usageError } from '../../errors.ts';
import { packageFolder, packageVersion } from '../../own-file.ts';
import { parseJson } from '../../parse-json.ts';
import { ACTING, READING, STARTING, type CliTool } from './tools.ts';

export type McpServerModule = typeof import('@modelcontextprotocol/server');

export type ToolServerDeps = {
  library: McpServerModule;
  /** Offers no tool that changes a run or costs money. */
  readOnly: boolean;
  where: CallEnvironment;
  signal: AbortSignal;
  /** Creates the folder for the output of started runs. */
  logs: () => Promise<string>;
};

const HELP = `Tandem builds and runs evaluations of an agent. A run goes through designs, which a person approves at a gate, and iterations.
You can start, follow, stop and read runs, and comment on a design. You cannot approve it, reject it or change it: say to a person that it waits.`;

type ToolAnswer = { content: { type: 'text'; text: string }[]; isError?: boolean };
type ToolRequest = { serving: ToolServerDeps; signal: AbortSignal };

/** Creates a server for one client. */
export function createToolServer(serving: ToolServerDeps): McpServer {
  const { library, readOnly, signal } = serving;
  const server = new library.McpServer({ name: 'tandem', version: packageVersion() }, { instructions: HELP });
  const limit = createCallLimit();
  const offer = (
    tool: CliTool,
    answer: (tool: CliTool, input: Record<string, unknown>, at: ToolRequest) => Promise<ToolAnswer>,
  ) => {
    const { name, description, input: inputSchema } = tool;
    const acts = !READING.includes(tool);
    const annotations = { readOnlyHint: !acts, destructiveHint: name === 'cancel_run', openWorldHint: false };
    server.registerTool(name, { description, inputSchema, annotations }, async (input, { mcpReq }) => {
      // An action that was started continues when its caller has left.
      const at = { serving, signal: acts ? signal : AbortSignal.any([signal, mcpReq.signal]) };
      try {
        return await limit(() => answer(tool, input, at));
      } catch (error) {
        return toRefusal(describeError(error));
      }
    });
  };
  for (const tool of READING) offer(tool, runCommandTool);
  if (!readOnly) {
    for (const tool of ACTING) offer(tool, runCommandTool);
    for (const tool of STARTING) offer(tool, startCommandTool);
  }
  addResources(server, serving, limit);
  return server;
}

/** Each call is a process of this machine. */
const MOST_CALLS = 8;

type CallLimit = <T>(act: () => Promise<T>) => Promise<T>;

/** Calls `act` at once or not at all. */
function createCallLimit(): CallLimit {
  let underWay = 0;
  return async (act) => {
    if (underWay >= MOST_CALLS) throw usageError(`${underWay} calls are under way: ask again when one has ended.`);
    underWay += 1;
    try {
      return await act();
    } finally {
      underWay -= 1;
    }
  };
}

/** Exit code 1 is an evaluation that missed its target, and is answered like any other. */
async function runCommandTool(
  tool: CliTool,
  input: Record<string, unknown>,
  { serving, signal }: ToolRequest,
): Promise<ToolAnswer> {
  const called = await callTandem(tool.args(input), serving.where, signal);
  if (isRefusal(called)) return toRefusal(called.err.trim());
  return { content: [{ type: 'text', text: cutAnswer(called.out.trim()) }] };
}

/** With --json the reason of a failure is an object on standard output too. */
function isRefusal({ code, out }: CallResult): boolean {
  if (code === 0 || out.trim() === '') return code !== 0;
  const answer: unknown = parseJson(out);
  return typeof answer === 'object' && answer !== null && 'error' in answer && 'exitCode' in answer;
}

/** Longer answers are cut, with a notice. */
const MOST_CHARS = 100_000;

function cutAnswer(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  return `${text.slice(0, MOST_CHARS)}\n[cut: ${MOST_CHARS} of ${text.length} characters shown]`;
}

function toRefusal(why: string): ToolAnswer {
  return { content: [{ type: 'text', text: cutAnswer(why) }], isError: true };
}

/** A command says that it drives the run only after all checks passed and the journal has the act. */
async function startCommandTool(
  tool: CliTool,
  input: Record<string, unknown>,
  { serving }: ToolRequest,
): Promise<ToolAnswer> {
  const isNew = tool.name === 'start_run';
  const word = randomBytes(3).toString('hex');
  const id = isNew ? `mcp-${new Date().toISOString().slice(0, 10)}-${word}` : String(input['run']);
  const log = join(await serving.logs(), `${id}-${word}.log`);
  const args = [...tool.args(input), ...(isNew ? ['--id', id] : [])];
  const since = Date.now();
  const begun = (): boolean => DRIVES.test(readFileSync(log, 'utf8')) || Date.now() - since > PATIENCE_MS;
  const code = await startTandem(args, { ...serving.where, log, begun });
  if (code !== undefined && ![0, 1, 4].includes(code))
    return toRefusal((await readFile(log, 'utf8')).trim().slice(-4000));
  const state = code === undefined ? 'under way' : 'stopped';
  return { content: [{ type: 'text', text: JSON.stringify({ run: id, state, next: 'run_status' }) }] };
}

/** The line that every command prints when it drives a run. */
const DRIVES = /^run \S+ of /m;
/** Enough for the checks on a slow machine, with a sandbox and servers; clients wait no longer. */
const PATIENCE_MS = 50_000;

function addResources(server: McpServer, serving: ToolServerDeps, limit: CallLimit): void {
  for (const { name, uri, title, args } of RESOURCES)
    server.registerResource(
      name,
      new serving.library.ResourceTemplate(uri, { list: undefined }),
      { title, mimeType: 'text/markdown' },
      async (address, variables, { mcpReq }) => {
        const [run] = [variables['run']].flat();
        if (run === undefined || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(run)) throw new Error('no such run');
        const signal = AbortSignal.any([serving.signal, mcpReq.signal]);
        const called = await limit(() => callTandem(args(run), serving.where, signal));
        if (isRefusal(called)) throw new HarnessError('not_found', cutAnswer(called.err.trim()));
        return { contents: [{ uri: address.href, mimeType: 'text/markdown', text: cutAnswer(called.out) }] };
      },
    );
}

const RESOURCES = [
  {
    name: 'report',
    uri: 'tandem://runs/{run}/report',
    title: 'The report of a run',
    args: (run: string) => ['report', run],
  },
  {
    name: 'design',
    uri: 'tandem://runs/{run}/design',
    title: 'The newest design of a run, as its reviewer sees it',
    args: (run: string) => ['gates', 'show', run, '--markdown'],
  },
];

type CallEnvironment = { cwd: string; env: Readonly<Record<string, string | undefined>> };
type CallResult = { code: number; out: string; err: string };

/** The most characters kept of one answer. */
const MOST_KEPT_CHARS = 8_000_000;

const PROGRAM = join(packageFolder(), 'bin/tandem.js');

async function callTandem(
  args: readonly string[],
  { cwd, env }: CallEnvironment,
  signal: AbortSignal,
): Promise<CallResult> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [out, err] = [collectText(child.stdout), collectText(child.stderr)];
  return { code: await waitForClose(child), out: out(), err: err() };
}

/**
 * Starts work that outlives this process and writes its output to `log`. Resolves with undefined when `begun` is true,
 * or with the exit code when the process ends before, for example because a scenario cannot run.
 */
async function startTandem(
  args: readonly string[],
  { cwd, env, log, begun }: CallEnvironment & { log: string; begun: () => boolean },
): Promise<number | undefined> {
  const words = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', words, words],
  });
  child.unref();
  const ended = waitForClose(child);
  for (;;) {
    const code = await Promise.race([ended, delay(LOOK_MS, undefined)]);
    if (code !== undefined) return code;
    if (begun()) return undefined;
  }
}

const LOOK_MS = 50;

async function waitForClose(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

function collectText(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  let length = 0;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    length += chunk.length;
    text = (text + chunk).slice(0, MOST_KEPT_CHARS);
  });
  return () => (length > MOST_KEPT_CHARS ? `${text}\n[cut: ${length} characters]` : text);
}
