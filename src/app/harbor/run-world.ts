/**
 * `world`, the program of an exported sample. In the agent's image its commands are the tools and the user, for a shell
 * and over MCP; in the verifier's image it judges the log of actions. It needs Node and nothing else.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBareProcess } from '../../adapters/sandbox/open-sandbox.ts';
import { describeError } from '../../errors.ts';
import type { Grading } from '../../evaluation/graders/grading.ts';
import { formatLogLine, readLog, type Action, type AnswerLine } from '../../interop/harbor/actions.ts';
import { judgeActions, type Judged } from '../../interop/harbor/judge-actions.ts';
import { loggedUser } from '../../interop/harbor/logged-user.ts';
import { openScene, type Reply } from '../../interop/harbor/scene.ts';
import { HarborWorld } from '../../interop/harbor/world-file.ts';
import { parseJson } from '../../parse-json.ts';
import type { Model } from '../../ports/model.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';
import { withLongTimeout, withCallCache } from './session-wrappers.ts';
import { serveMcp } from './serve-mcp.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const LOG = process.env['WORLD_LOG'] ?? '/var/lib/world/actions.jsonl';
const REWARDS = process.env['WORLD_REWARDS'] ?? '/logs/verifier';
const MOST_LOG_BYTES = 8 * 1024 * 1024;
const HELP = `world tools                     the tools and their inputs
world call <tool> '<json>'      calls a tool
world say [--no-wait] '<text>'  says it to the user, and prints the answer
world mcp                       the same as a server of the Model Context Protocol, over standard input and output
`;

/** Parts that only some tasks need, loaded separately so that the program of the others stays small. */
export type WorldParts = {
  /** Contract: rejects with a sentence that names the missing variable. */
  userModel?: () => Model;
  /** Undefined when no model is available and the graders decide nothing. */
  grading?: (graders: NonNullable<NonNullable<HarborWorld['judge']>['graders']>) => Grading | undefined;
  serve?: (servers: NonNullable<HarborWorld['servers']>, dir: string, inner: Sandbox) => Sandbox;
};

const world = HarborWorld.parse(JSON.parse(readFileSync(join(HERE, 'world.json'), 'utf8')));
const { signal } = new AbortController();
const ANSWER_WAIT_MS = 180_000;

/** Several programs may act on one conversation: the log orders their actions, and each replays them up to its own. */
function openActor(session: OpenSandbox, { userModel }: WorldParts): (action: Action) => Promise<Reply> {
  const user = world.user_answers === 'model' ? loggedUser(world) : undefined;
  const scene = openScene(world, { session, user });
  let played = 0;
  return async (action) => {
    const model = user !== undefined && 'says' in action && action.waits ? userModel?.() : undefined;
    const id = randomUUID();
    appendLog({ id, action });
    for (const logged of readLog(readFileSync(LOG, 'utf8')).slice(played)) {
      played += 1;
      user?.turnTo(logged, logged.id === id && model !== undefined ? { model, append: appendLog } : { waitFor });
      const reply = await scene.act(logged.action, signal);
      if (logged.id === id) return reply;
    }
    throw new Error(`${LOG} was changed by somebody else: the action is not in it.`);
  };
}

function appendLog(line: Parameters<typeof formatLogLine>[0]): void {
  appendFileSync(LOG, formatLogLine(line));
}

/** Waits for the answer of the user, whom another program of this conversation has called. */
async function waitFor(action: string, nth: number): Promise<AnswerLine | undefined> {
  for (let waited = 0; waited < ANSWER_WAIT_MS; waited += 200) {
    const request = readLog(readFileSync(LOG, 'utf8')).find(({ id }) => id === action);
    const found = request?.answers.find((line) => line.nth === nth);
    if (found !== undefined) return found;
    await new Promise((resume) => setTimeout(resume, 200));
  }
  return undefined;
}

const listOffered = () => world.tools.filter(({ by }) => by === 'subject');

function parseAction(verb: string, rest: readonly string[]): Action | undefined {
  if (verb === 'call') {
    const [tool, text = '{}'] = rest;
    const args = parseJson(text);
    if (tool === undefined || typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
    return { tool, args: { ...args } };
  }
  const says = rest.filter((one) => one !== '--no-wait').join(' ');
  return verb === 'say' && says.trim() !== '' ? { says, waits: !rest.includes('--no-wait') } : undefined;
}

async function main([verb = '', ...rest]: readonly string[], parts: WorldParts): Promise<number> {
  if (verb === 'tools') {
    for (const { name, description, input_schema } of listOffered())
      process.stdout.write(`${name}: ${description}\n  input: ${JSON.stringify(input_schema)}\n`);
    return 0;
  }
  const bare = openBareProcess();
  const sandbox = world.servers === undefined ? bare : parts.serve?.(world.servers, join(HERE, 'scenario'), bare);
  const session = withLongTimeout(await (sandbox ?? bare).open(join(HERE, 'components')));
  try {
    if (verb === 'verify') return await verifyTask(session, parts);
    const act = openActor(withCallCache(session, join(dirname(LOG), 'calls')), parts);
    if (verb === 'mcp') {
      await serveMcp(listOffered(), act, { input: process.stdin, output: process.stdout });
      return 0;
    }
    const action = parseAction(verb, rest);
    if (action === undefined) {
      process.stderr.write(HELP);
      return 2;
    }
    const { text, isError } = await act(action);
    process.stdout.write(`${text}\n`);
    return isError ? 1 : 0;
  } finally {
    await session.close();
  }
}

/** A malformed log earns a reward of 0; a log that cannot be judged, or a fault of this program, leaves no reward at all. */
async function verifyTask(session: OpenSandbox, parts: WorldParts): Promise<number> {
  const { judge } = world;
  if (judge === undefined) throw new Error('world.json of this image says nothing of how to judge.');
  const fault = logFault();
  const actions = fault === undefined && existsSync(LOG) ? readLog(readFileSync(LOG, 'utf8')) : [];
  const grading = judge.graders === undefined ? undefined : parts.grading?.(judge.graders);
  const judged: Judged & { fault?: string } =
    fault === undefined
      ? await judgeActions({ ...world, judge }, { actions, session, grading }, signal)
      : { reward: 0, verdicts: [], fault };
  mkdirSync(REWARDS, { recursive: true });
  writeFileSync(join(REWARDS, 'verdicts.json'), `${JSON.stringify(judged, null, 2)}\n`);
  for (const { checker, pass, reason, grader } of judged.verdicts) {
    const shown = grader?.counts === false ? ' (shown, decides nothing)' : '';
    process.stdout.write(`${pass ? 'pass' : 'FAIL'}  ${checker}${shown}: ${reason}\n`);
  }
  if ('unscored' in judged) throw new Error(`nothing is judged: ${judged.unscored}`);
  writeFileSync(join(REWARDS, 'reward.txt'), `${judged.reward}\n`);
  process.stdout.write(`reward ${judged.reward}${fault === undefined ? '' : `: ${fault}`}\n`);
  return 0;
}

function logFault(): string | undefined {
  if (!existsSync(LOG)) return undefined;
  const about = lstatSync(LOG);
  if (!about.isFile()) return 'the log of actions is no plain file';
  return about.size > MOST_LOG_BYTES ? `the log of actions has ${about.size} bytes` : undefined;
}

export async function runWorld(parts: WorldParts): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2), parts);
  } catch (error) {
    process.stderr.write(`world: ${describeError(error)}\n`);
    process.exitCode = 70;
  }
}
