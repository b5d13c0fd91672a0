/** The program of exported samples whose graders or user are models, or whose tools are on servers. */
import { readFileSync } from 'node:fs';
import { createAnthropicModel } from '../../adapters/anthropic/anthropic-model.ts';
import { openToolWorlds } from '../../adapters/mcp/tool-worlds.ts';
import { isLoopback } from '../../config/endpoint.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { MODEL_KEY, MODEL_URL, OFFICIAL_URL } from '../../interop/harbor/task-manifest.ts';
import { NO_PRICE, type Model } from '../../ports/model.ts';
import { listVariables } from '../../scenario/tool-servers.ts';
import { worldSetups } from '../open-tool-worlds.ts';
import { runWorld } from './run-world.ts';

await runWorld({
  userModel: () => createTaskModel('The user of this task is played by a model'),
  grading: ({ prompts, all }) => {
    if (findVariable(MODEL_KEY) === undefined && all.every(({ counts }) => !counts)) {
      process.stdout.write(`The graders are not called: they decide nothing, and ${MODEL_KEY} is not set.\n`);
      return undefined;
    }
    const model = createTaskModel('Graders judge this task');
    const found = (id: string) => all.find(({ grader }) => grader.id === id);
    return {
      prompts,
      modelOf: ({ id }) => {
        const { model: name = '', thinking } = found(id) ?? {};
        return Promise.resolve({ name, price: NO_PRICE, modelFor: () => model, ...omitUndefined({ thinking }) });
      },
      counts: ({ id }) => found(id)?.counts === true,
    };
  },
  serve: (servers, dir, inner) => {
    const named = servers.flatMap(listVariables).map((name) => [name, findVariable(name)] as const);
    const env = { ...process.env, ...Object.fromEntries(named) };
    return openToolWorlds(worldSetups(servers, { dir, env })).serve(inner);
  },
});

function createTaskModel(why: string): Model {
  const [apiKey, baseUrl = OFFICIAL_URL] = [findVariable(MODEL_KEY), findVariable(MODEL_URL)];
  if (apiKey === undefined)
    throw new Error(
      `${why}: set ${MODEL_KEY} to a key of the Messages API where the task is started (and ${MODEL_URL}, when it is not at ${OFFICIAL_URL}).`,
    );
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new Error(`${MODEL_URL} is ${baseUrl}: a key is sent over plain http to loopback only.`);
  const retry = { tries: 4, minDelayMs: 1000, maxDelayMs: 30_000 };
  return createAnthropicModel({ baseUrl, apiKey, timeoutMs: 120_000, wholeAnswerMs: 600_000, retry });
}

/** MCP clients start servers with few variables, so a missing one is looked up in the parent processes. */
function findVariable(name: string): string | undefined {
  const own = process.env[name];
  if (own !== undefined && own !== '') return own;
  for (let pid = process.ppid; pid > 0;) {
    const found = readProcessFile(pid, 'environ')
      ?.split('\0')
      .find((entry) => entry.startsWith(`${name}=`));
    const value = found?.slice(name.length + 1);
    if (value !== undefined && value !== '') return value;
    pid = Number(/^PPid:\s*(\d+)$/m.exec(readProcessFile(pid, 'status') ?? '')?.[1] ?? 0);
  }
  return undefined;
}

function readProcessFile(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (unreadable) {
    void unreadable;
    return undefined;
  }
}
