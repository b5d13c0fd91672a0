/** What another agent is offered: tools and resources, each answered by a command of this program, within what its person may. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import { HarnessError, messageOf } from '../../errors.ts';
import { packageVersion } from '../../own-file.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { ToolCaller } from '../../web/create-tool-endpoint.ts';
import { beginTandem, callTandem, type Called, type Where } from './call-tandem.ts';
import type { Limit } from './limit-calls.ts';
import { narrowed, withinScope } from './rights.ts';
import { ACTING, READING, STARTING, type CliTool } from './tools.ts';

export type Library = typeof import('@modelcontextprotocol/server');

export type Serving = {
  library: Library;
  /** Nothing that changes a run or costs money. */
  readOnly: boolean;
  where: Where;
  store: RunStore;
  signal: AbortSignal;
  /** A folder for what runs say that were started. */
  logs: () => Promise<string>;
  limit: Limit;
  /** Taken out of every answer to another machine; absent on this one. */
  hide?: string;
};

const HELP = `Tandem builds and runs evaluations of an agent. A run goes through designs, which a person approves at a gate, and iterations.
You can start, follow, stop and read runs, and comment on a design. You cannot approve it, reject it or change it: say to a person that it waits.`;

type Answer = { content: { type: 'text'; text: string }[]; isError?: boolean };
type Asking = { serving: Serving; caller: ToolCaller; signal: AbortSignal };

/** For one client, or for one request of it. */
export function toolServer(serving: Serving, caller: ToolCaller): McpServer {
  const { library, readOnly, signal } = serving;
  const server = new library.McpServer({ name: 'tandem', version: packageVersion() }, { instructions: HELP });
  const offer = (
    tool: CliTool,
    answer: (tool: CliTool, input: Record<string, unknown>, at: Asking) => Promise<Answer>,
  ) => {
    const { name, description, input: inputSchema, acts } = tool;
    const annotations = { readOnlyHint: !acts, destructiveHint: name === 'cancel_run', openWorldHint: false };
    server.registerTool(name, { description, inputSchema, annotations }, async (input, { mcpReq }) => {
      // A started act continues when its caller has left.
      const at = { serving, caller, signal: acts ? signal : AbortSignal.any([signal, mcpReq.signal]) };
      try {
        const own = await withinScope({ tool, input, caller, store: serving.store });
        return await serving.limit(caller.name, () => answer(tool, own, at));
      } catch (error) {
        return refusal(messageOf(error), serving);
      }
    });
  };
  for (const tool of READING) offer(tool, read);
  if (!readOnly) {
    for (const tool of ACTING) offer(tool, read);
    for (const tool of STARTING) offer(tool, begin);
  }
  addResources(server, serving, caller);
  return server;
}

/** Whatever a command writes to a journal is the act of an agent, which no gate ever takes for a decision. */
function whereOf({ where }: Serving, { name }: ToolCaller): Where {
  return { cwd: where.cwd, env: { ...where.env, TANDEM_AGENT: `mcp-${name}` } };
}

/** Exit code 1 is an evaluation that did not meet its target: an answer like any other. */
async function read(
  tool: CliTool,
  input: Record<string, unknown>,
  { serving, caller, signal }: Asking,
): Promise<Answer> {
  const called = await callTandem(tool.args(input), whereOf(serving, caller), signal);
  if (isRefusal(called)) return refusal(called.err.trim(), serving);
  return { content: [{ type: 'text', text: shown(narrowed(tool, called.out.trim(), caller), serving) }] };
}

const isRefusal = ({ code, out }: Called): boolean => code !== 0 && out.trim() === '';

/** The longest answer; the rest is cut, with a notice. */
const MOST_CHARS = 100_000;

/** The folder of a command that worked on runs of a store: it is gone with the command. */
const WORKING_COPIES = /\/[^\s"'`]*\/tandem-store-\d+-[A-Za-z0-9]+(?:\/era-\d+)?/g;

function shown(text: string, { hide }: Serving): string {
  const plain = hide === undefined ? text : text.replaceAll(hide, '.').replaceAll(WORKING_COPIES, '.');
  if (plain.length <= MOST_CHARS) return plain;
  return `${plain.slice(0, MOST_CHARS)}\n[cut: ${MOST_CHARS} of ${plain.length} characters shown]`;
}

function refusal(why: string, serving: Serving): Answer {
  return { content: [{ type: 'text', text: shown(why, serving) }], isError: true };
}

/** The command says that it drives the run when every check is done and its journal has the act; whatever stops it, stops it before. */
async function begin(tool: CliTool, input: Record<string, unknown>, { serving, caller }: Asking): Promise<Answer> {
  const isNew = tool.name === 'start_run';
  const word = randomBytes(3).toString('hex');
  const id = isNew ? `mcp-${new Date().toISOString().slice(0, 10)}-${word}` : String(input['run']);
  const log = join(await serving.logs(), `${id}-${word}.log`);
  const args = [...tool.args(input), ...(isNew ? ['--id', id] : [])];
  const since = Date.now();
  const begun = (): boolean => DRIVES.test(readFileSync(log, 'utf8')) || Date.now() - since > PATIENCE_MS;
  const code = await beginTandem(args, { ...whereOf(serving, caller), log, begun });
  if (code !== undefined && ![0, 1, 4].includes(code))
    return refusal((await readFile(log, 'utf8')).trim().slice(-4000), serving);
  const state = code === undefined ? 'under way' : 'stopped';
  return { content: [{ type: 'text', text: JSON.stringify({ run: id, state, next: 'run_status' }) }] };
}

/** As every command says it that drives a run. */
const DRIVES = /^run \S+ of /m;
/** Checks of a slow machine, a sandbox and servers included; the other side waits no longer. */
const PATIENCE_MS = 50_000;

function addResources(server: McpServer, serving: Serving, caller: ToolCaller): void {
  for (const { name, uri, title, args } of RESOURCES)
    server.registerResource(
      name,
      new serving.library.ResourceTemplate(uri, { list: undefined }),
      { title, mimeType: 'text/markdown' },
      async (address, variables, { mcpReq }) => {
        const [run] = [variables['run']].flat();
        if (run === undefined || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(run)) throw new Error('no such run');
        const tool = { acts: false };
        const own = await withinScope({ tool, input: { run }, caller, store: serving.store });
        const signal = AbortSignal.any([serving.signal, mcpReq.signal]);
        const ask = () => callTandem(args(String(own['run'])), whereOf(serving, caller), signal);
        const called = await serving.limit(caller.name, ask);
        if (isRefusal(called)) throw new HarnessError('not_found', shown(called.err.trim(), serving));
        return { contents: [{ uri: address.href, mimeType: 'text/markdown', text: shown(called.out, serving) }] };
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
