/** One tool server and its state: set, called, read. Any misbehaviour is an outcome or an outage, and ends the process of the server. */
import { rm } from 'node:fs/promises';
import { createTemporaryFolder } from '../../disk/temporary-folder.ts';
import { HarnessError, describeError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { diffJson } from '../../scenario/json/patch.ts';
import type { Reset, StateReader } from '../../scenario/tool-servers.ts';
import { connectTo, mapTexts, oneLine, RequestFault, type Connection, type ServerOptions } from './connection.ts';
import type { ServerTool } from './offered-tools.ts';
import { runJsonCommand } from './run-json-command.ts';
import { toolAnswer, type ServerAnswer } from './tool-answer.ts';

/** For a server at an address, `env` is only for its reset and state programs. */
export type WorldSetup = ServerOptions & {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Absent for a server without state. */
  reset: Reset | undefined;
  state: StateReader;
};

export type RunningWorldServer = {
  /** The state at the last read; undefined when it is not known. */
  state: unknown;
  tools: (signal: AbortSignal) => Promise<ServerTool[]>;
  /** Returns why the server could not get this state; undefined when it has it. */
  reset: (state: unknown, signal: AbortSignal) => Promise<string | undefined>;
  /** Contract: after a failed outcome the state is the previous one, or not known. */
  call: (tool: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<SandboxOutcome>;
  read: (signal: AbortSignal) => Promise<unknown>;
  close: () => Promise<void>;
};

/** A server's program has a temporary folder of its own, which subjects, samples and traces see under this name. */
const SHOWN_DIR = '/world';
const MAX_CHARS = 60_000;
/** The state of a server that changes nothing. */
export const NO_STATE = null;
const MAX_STATE_BYTES = 16_000_000;

/** The server refused the request: either the request is wrong, or the server is. */
class ServerRefusal extends Error {}

type ServerContext = { dir: string; setup: WorldSetup; connection: Connection };

export function openWorldServer(setup: WorldSetup): RunningWorldServer {
  let opening: Promise<ServerContext> | undefined;
  const place = (): Promise<ServerContext> => (opening ??= openContext(setup));
  const stop = async (): Promise<void> => (await opening)?.connection.close();
  const server: RunningWorldServer = {
    state: undefined,
    tools: async (signal) => withOutageError(setup, signal, async () => (await place()).connection.tools(signal)),
    read: async (signal) => {
      server.state = await withOutageError(setup, signal, async () => readState(await place(), signal));
      return server.state;
    },
    reset: async (state, signal) => {
      server.state = undefined;
      try {
        await withOutageError(setup, signal, async () => setState(await place(), state, signal));
        await server.read(signal);
      } catch (error) {
        if (!(error instanceof ServerRefusal)) throw error;
        return `the server "${setup.name}" cannot be set to this state: ${error.message}`;
      }
      return sameJson(server.state, state) ? undefined : describeDifference(setup.name, state, server.state);
    },
    call: async (tool, input, signal) => {
      const first = await callOnce(tool, input, signal);
      const isBroken = 'url' in setup && !first.ok && first.kind === 'crashed';
      // A connection to an address may break by itself; the state was restored, so the call is made once more.
      return isBroken ? callOnce(tool, input, signal) : first;
    },
    close: async () => {
      const last = await opening?.catch(() => undefined);
      opening = undefined;
      await last?.connection.close();
      if (last !== undefined) await rm(last.dir, { recursive: true, force: true });
    },
  };
  const callOnce: RunningWorldServer['call'] = async (tool, input, signal) => {
    const before = server.state;
    const at = await place();
    try {
      const answer = await at.connection.call(tool, insertFolder(input, at.dir), signal).catch(toErrorAnswer);
      await server.read(signal);
      const { content, is_error } = toToolAnswer(answer, at);
      return { ok: true, value: content, args: [], ...(is_error && { is_error }) };
    } catch (error) {
      server.state = undefined;
      signal.throwIfAborted();
      await stop();
      // When the state can be set again, the call was at fault and not the server's surroundings.
      await server.reset(before, signal);
      const said = cleanLine(setup, describeError(error));
      return { ok: false, kind: /timed out/i.test(said) ? 'timeout' : 'crashed', message: said };
    }
  };
  return server;
}

async function openContext(setup: WorldSetup): Promise<ServerContext> {
  const dir = await createTemporaryFolder('world');
  const own = 'command' in setup ? { ...setup, command: replaceDir(setup.command, dir) } : setup;
  return { dir, setup, connection: connectTo(own) };
}

/** Contract: any error other than a refusal becomes an outage, whose details name the server. */
async function withOutageError<T>(setup: WorldSetup, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServerRefusal || error instanceof HarnessError) throw error;
    throw createOutageError(setup.name, cleanLine(setup, describeError(error)));
  }
}

export function createOutageError(server: string, why: string): HarnessError {
  const message = `The server of tools "${server}" cannot be used: ${why}`;
  return new HarnessError('infrastructure', message, { retryable: true, details: { server } });
}

async function setState(place: ServerContext, state: unknown, signal: AbortSignal): Promise<void> {
  const { dir, setup, connection } = place;
  const { reset } = setup;
  if (reset === undefined) {
    // A server without state only has to answer.
    await connection.tools(signal);
    return;
  }
  const given = insertFolder(state, dir);
  if ('tool' in reset) {
    const received = await connection.call(reset.tool, { world: given }, signal).catch(toErrorAnswer);
    const answer = toToolAnswer(received, place);
    if (answer.is_error) throw new ServerRefusal(cleanLine(setup, `${reset.tool} answers: ${answer.content}`));
    return;
  }
  if (reset.restart) await connection.close();
  await runCommand(place, { command: reset.command, input: given }, signal);
}

async function readState(place: ServerContext, signal: AbortSignal): Promise<unknown> {
  const { dir, setup, connection } = place;
  const { state } = setup;
  if (state === 'none') return NO_STATE;
  let text: string;
  if ('command' in state) text = await runCommand(place, { command: state.command, input: undefined }, signal);
  else {
    const answer: ServerAnswer = await connection.call(state.tool, {}, signal).catch(toErrorAnswer);
    const said = answer.content?.find(({ type }) => type === 'text')?.['text'];
    if (answer.isError === true) throw new ServerRefusal(cleanLine(setup, `${state.tool} answers: ${String(said)}`));
    text = answer.structuredContent === undefined ? String(said) : JSON.stringify(answer.structuredContent);
  }
  const read = parseJson(setup.redact(hideFolder(text, dir)));
  if (read === undefined) throw new ServerRefusal(`its state is no JSON: ${cleanLine(setup, text).slice(0, 200)}`);
  return read;
}

async function runCommand(
  { dir, setup }: ServerContext,
  { command, input }: { command: readonly string[]; input: unknown },
  signal: AbortSignal,
): Promise<string> {
  const { cwd, env, startMs: timeoutMs } = setup;
  const job = { command: replaceDir(command, dir), cwd, env, input, timeoutMs, maxBytes: MAX_STATE_BYTES };
  const end = await runJsonCommand(job, signal);
  const shown = command.join(' ');
  if (end.late !== undefined) throw new Error(`${shown}: ${end.late}`);
  if (end.code !== 0) throw new ServerRefusal(cleanLine(setup, `${shown} ended with ${end.code}: ${end.complaint}`));
  return end.out;
}

/** An error in the server's own answer is returned as an answer, as clients show it to their models. */
function toErrorAnswer(error: unknown): ServerAnswer {
  const cause: unknown = error instanceof RequestFault ? error.cause : undefined;
  const isAnswer = cause instanceof Error && 'code' in cause && typeof cause.code === 'number';
  if (!isAnswer) throw error;
  return { content: [{ type: 'text', text: cause.message }], isError: true };
}

function describeDifference(name: string, wanted: unknown, got: unknown): string {
  const [first] = diffJson({ state: wanted }, { state: got });
  const where = first === undefined ? '' : ` at ${first.path.replace(/^\/state/, '') || '/'} (${first.op})`;
  return `the server "${name}" is not reset: it was given a state, and reports another${where}`;
}

const replaceDir = (command: readonly string[], dir: string): string[] =>
  command.map((one) => one.replaceAll('{dir}', dir));

/** The folder differs from process to process, and judged data must not, so it is replaced by a fixed name. */
function hideFolder(text: string, dir: string): string {
  return text.replaceAll(dir, SHOWN_DIR);
}

function insertFolder<T>(value: T, dir: string): T {
  return mapTexts(value, (text) =>
    text === SHOWN_DIR || text.startsWith(`${SHOWN_DIR}/`) ? dir + text.slice(SHOWN_DIR.length) : text,
  );
}

function toToolAnswer(answer: ServerAnswer, { dir, setup }: ServerContext): ToolAnswer {
  return toolAnswer(answer, { maxChars: MAX_CHARS, redact: (text) => setup.redact(hideFolder(text, dir)) });
}

const cleanLine = ({ redact }: WorldSetup, text: string): string => oneLine(text, redact);
