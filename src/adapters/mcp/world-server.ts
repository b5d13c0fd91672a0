/** One server of tools and its state: set, called, read. Whatever it does wrong is an outcome or an outage, and its process ends with it. */
import { rm } from 'node:fs/promises';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { HarnessError, messageOf } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { diffJson } from '../../scenario/json/patch.ts';
import type { Reset, StateReader } from '../../scenario/tool-servers.ts';
import { connectTo, oneLine, RequestFault, type Connection, type ServerOptions } from './connection.ts';
import type { ServerTool } from './offered-tools.ts';
import { runJsonCommand } from './run-json-command.ts';
import { toolAnswer, type ServerAnswer } from './tool-answer.ts';

/** `env` of a server that is an address holds nothing of its own: reset and state may be programs all the same. */
export type WorldSetup = ServerOptions & {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Absent where it has no state. */
  reset: Reset | undefined;
  state: StateReader;
};

export type WorldServer = {
  /** Its state as it was last read; undefined: nobody knows. */
  state: unknown;
  tools: (signal: AbortSignal) => Promise<ServerTool[]>;
  /** Why it does not have this state now; undefined when it has. */
  reset: (state: unknown, signal: AbortSignal) => Promise<string | undefined>;
  /** Contract: on a failed outcome the state is the one before, or not known. */
  call: (tool: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<SandboxOutcome>;
  read: (signal: AbortSignal) => Promise<unknown>;
  close: () => Promise<void>;
};

/** What programs are given is theirs alone for as long as they run; subjects, samples and traces see this name for it. */
const SHOWN_DIR = '/world';
const MAX_CHARS = 60_000;
/** Of a server that changes nothing. */
export const NO_STATE = null;
const MAX_STATE_BYTES = 16_000_000;

/** The server answered with a refusal: the request is wrong, or the server is. */
class Refusal extends Error {}

type Place = { dir: string; setup: WorldSetup; connection: Connection };

export function openWorldServer(setup: WorldSetup): WorldServer {
  let opening: Promise<Place> | undefined;
  const place = (): Promise<Place> => (opening ??= openPlace(setup));
  const stop = async (): Promise<void> => (await opening)?.connection.close();
  const server: WorldServer = {
    state: undefined,
    tools: async (signal) => reached(setup, signal, async () => (await place()).connection.tools(signal)),
    read: async (signal) => {
      server.state = await reached(setup, signal, async () => readState(await place(), signal));
      return server.state;
    },
    reset: async (state, signal) => {
      server.state = undefined;
      try {
        await reached(setup, signal, async () => setState(await place(), state, signal));
        await server.read(signal);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return `the server "${setup.name}" cannot be set to this state: ${error.message}`;
      }
      return sameJson(server.state, state) ? undefined : differs(setup.name, state, server.state);
    },
    call: async (tool, input, signal) => {
      const first = await callOnce(tool, input, signal);
      const isBroken = 'url' in setup && !first.ok && first.kind === 'crashed';
      // A line to an address may break for nobody's fault; it is in its state again, so the same call can be made once more.
      return isBroken ? callOnce(tool, input, signal) : first;
    },
    close: async () => {
      const last = await opening?.catch(() => undefined);
      opening = undefined;
      await last?.connection.close();
      if (last !== undefined) await rm(last.dir, { recursive: true, force: true });
    },
  };
  const callOnce: WorldServer['call'] = async (tool, input, signal) => {
    const before = server.state;
    const at = await place();
    try {
      const answer = await at.connection.call(tool, inward(input, at.dir), signal).catch(answered);
      await server.read(signal);
      const { content, is_error } = answerOf(answer, at);
      return { ok: true, value: content, args: [], ...(is_error && { is_error }) };
    } catch (error) {
      server.state = undefined;
      signal.throwIfAborted();
      await stop();
      // Where it can be set up again the call was at fault, and not its surroundings.
      await server.reset(before, signal);
      const said = clean(setup, messageOf(error));
      return { ok: false, kind: /timed out/i.test(said) ? 'timeout' : 'crashed', message: said };
    }
  };
  return server;
}

async function openPlace(setup: WorldSetup): Promise<Place> {
  const dir = await temporaryFolder('world');
  const own = 'command' in setup ? { ...setup, command: withDir(setup.command, dir) } : setup;
  return { dir, setup, connection: connectTo(own) };
}

/** Contract: what is no refusal of the server is an outage, whose details name it. */
async function reached<T>(setup: WorldSetup, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal || error instanceof HarnessError) throw error;
    throw outage(setup.name, clean(setup, messageOf(error)));
  }
}

export function outage(server: string, why: string): HarnessError {
  const message = `The server of tools "${server}" cannot be used: ${why}`;
  return new HarnessError('infrastructure', message, { retryable: true, details: { server } });
}

async function setState(place: Place, state: unknown, signal: AbortSignal): Promise<void> {
  const { dir, setup, connection } = place;
  const { reset } = setup;
  if (reset === undefined) {
    // Without a state it only has to be there.
    await connection.tools(signal);
    return;
  }
  const given = inward(state, dir);
  if ('tool' in reset) {
    const answer = answerOf(await connection.call(reset.tool, { world: given }, signal).catch(answered), place);
    if (answer.is_error) throw new Refusal(clean(setup, `${reset.tool} answers: ${answer.content}`));
    return;
  }
  if (reset.restart) await connection.close();
  await runFor(place, { command: reset.command, input: given }, signal);
}

async function readState(place: Place, signal: AbortSignal): Promise<unknown> {
  const { dir, setup, connection } = place;
  const { state } = setup;
  if (state === 'none') return NO_STATE;
  let text: string;
  if ('command' in state) text = await runFor(place, { command: state.command, input: undefined }, signal);
  else {
    const answer: ServerAnswer = await connection.call(state.tool, {}, signal).catch(answered);
    const said = answer.content?.find(({ type }) => type === 'text')?.['text'];
    if (answer.isError === true) throw new Refusal(clean(setup, `${state.tool} answers: ${String(said)}`));
    text = answer.structuredContent === undefined ? String(said) : JSON.stringify(answer.structuredContent);
  }
  const read = parseJson(setup.redact(outward(text, dir)));
  if (read === undefined) throw new Refusal(`its state is no JSON: ${clean(setup, text).slice(0, 200)}`);
  return read;
}

async function runFor(
  { dir, setup }: Place,
  { command, input }: { command: readonly string[]; input: unknown },
  signal: AbortSignal,
): Promise<string> {
  const { cwd, env, startMs: timeoutMs } = setup;
  const job = { command: withDir(command, dir), cwd, env, input, timeoutMs, maxBytes: MAX_STATE_BYTES };
  const end = await runJsonCommand(job, signal);
  const shown = command.join(' ');
  if (end.late !== undefined) throw new Error(`${shown}: ${end.late}`);
  if (end.code !== 0) throw new Refusal(clean(setup, `${shown} ended with ${end.code}: ${end.complaint}`));
  return end.out;
}

/** An error that the server itself answered with is an answer, as clients show it to their models. */
function answered(error: unknown): ServerAnswer {
  const cause: unknown = error instanceof RequestFault ? error.cause : undefined;
  const isAnswer = cause instanceof Error && 'code' in cause && typeof cause.code === 'number';
  if (!isAnswer) throw error;
  return { content: [{ type: 'text', text: cause.message }], isError: true };
}

function differs(name: string, wanted: unknown, got: unknown): string {
  const [first] = diffJson({ state: wanted }, { state: got });
  const where = first === undefined ? '' : ` at ${first.path.replace(/^\/state/, '') || '/'} (${first.op})`;
  return `the server "${name}" is not reset: it was given a state, and reports another${where}`;
}

const withDir = (command: readonly string[], dir: string): string[] =>
  command.map((one) => one.replaceAll('{dir}', dir));

/** Folders differ from process to process; what is judged must not. */
function outward(text: string, dir: string): string {
  return text.replaceAll(dir, SHOWN_DIR);
}

function inward<T>(value: T, dir: string): T {
  const put = (text: string): string =>
    text === SHOWN_DIR || text.startsWith(`${SHOWN_DIR}/`) ? dir + text.slice(SHOWN_DIR.length) : text;
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) => (typeof one === 'string' ? put(one) : one)) as T;
}

function answerOf(answer: ServerAnswer, { dir, setup }: Place): ToolAnswer {
  return toolAnswer(answer, { maxChars: MAX_CHARS, redact: (text) => setup.redact(outward(text, dir)) });
}

const clean = ({ redact }: WorldSetup, text: string): string => oneLine(text, redact);
