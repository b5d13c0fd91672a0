/** The manifest of one sample as a Harbor task, and the Dockerfiles of its two images. */
import type { LoadedSample } from '../../evaluation/components/components.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { listVariables } from '../../scenario/tool-servers.ts';
import { LARGE_WORLD_CHARS } from '../../scenario/world-limits.ts';
import type { HarborExport } from './judged-world.ts';
import type { HarborTask } from './task-toml.ts';
import type { JudgedWorld } from './world-file.ts';

export const LOG = '/var/lib/world/actions.jsonl';
const NODE = 'node:24-bookworm-slim';

/** Environment variables with the address and key of the task's model, for the agent and the verifier alike. */
export const MODEL_KEY = 'WORLD_MODEL_KEY';
export const MODEL_URL = 'WORLD_MODEL_URL';
export const OFFICIAL_URL = 'https://api.anthropic.com';

/** True when the programs of the task ask a model or start servers. */
export function needsFullProgram({ user_answers, servers, judge }: JudgedWorld): boolean {
  return user_answers === 'model' || servers !== undefined || judge.graders !== undefined;
}

export function toHarborTask(loaded: LoadedSample, world: JudgedWorld, shared: HarborExport): HarborTask {
  const { sample } = loaded;
  const { scenario, generator, digests, limits } = shared;
  const isLarge = JSON.stringify(world.start).length >= LARGE_WORLD_CHARS;
  const environment = { build_timeout_sec: 600, cpus: 1, memory_mb: isLarge ? 4096 : 2048, storage_mb: 10_240 };
  const { graders } = world.judge;
  const servers = serversEnv(world);
  const own = { ...(world.user_answers === 'model' && modelEnv('needed')), ...servers };
  const deciding = graders?.all.some(({ counts }) => counts) === true ? 'needed' : 'wished';
  const verifying = { ...(graders !== undefined && modelEnv(deciding)), ...servers };
  const seconds = sample.limits.seconds ?? limits.seconds;
  const usd = sample.limits.usd ?? limits.usd;
  return {
    schema_version: '1.4',
    artifacts: [LOG],
    task: {
      name: `${scenario}/${sample.id}`,
      description: sample.title,
      keywords: [sample.category, 'tool-use', 'conversation'],
    },
    metadata: {
      category: sample.category,
      rules: sample.covers,
      ...{ generator, components: digests.components },
      limits: omitUndefined({ steps: world.steps, seconds, usd }),
      ...(graders !== undefined && {
        graders: graders.all.map(({ grader: { id }, model, counts }) => ({ id, model, counts })),
      }),
      ...(world.user_model !== undefined && { user: { model: world.user_model.model, words: 'recorded' } }),
    },
    agent: { timeout_sec: seconds },
    verifier: {
      timeout_sec: graders === undefined ? 300 : 900,
      ...envTable(verifying),
      environment_mode: 'separate',
      environment: { ...environment, network_mode: Object.keys(verifying).length === 0 ? 'no-network' : 'public' },
    },
    environment: {
      ...environment,
      ...envTable(own),
      workdir: '/app',
      mcp_servers: [{ name: 'world', transport: 'stdio', command: 'world', args: ['mcp'] }],
    },
  };
}

/** Harbor demands a variable without a default before anything starts. */
function modelEnv(key: 'needed' | 'wished'): Record<string, string> {
  const value = key === 'needed' ? `\${${MODEL_KEY}}` : `\${${MODEL_KEY}:-}`;
  return { [MODEL_KEY]: value, [MODEL_URL]: `\${${MODEL_URL}:-${OFFICIAL_URL}}` };
}

function serversEnv({ servers = [] }: JudgedWorld): Record<string, string> {
  return Object.fromEntries(servers.flatMap(listVariables).map((name) => [name, `\${${name}}`]));
}

function envTable(env: Record<string, string>): { env?: Record<string, string> } {
  return Object.keys(env).length === 0 ? {} : { env };
}

export function environmentImage(python: boolean): string {
  return `FROM ${NODE}
${formatPythonSetup(python)}COPY world /opt/world
COPY world.sh /usr/local/bin/world
RUN chmod 755 /usr/local/bin/world && mkdir -p /var/lib/world /app && touch ${LOG} && chmod -R a+rwX /var/lib/world
WORKDIR /app
`;
}

/** Harbor starts \`/tests/test.sh\` of this image; the agent's image contains none of it. */
export function verifierImage(python: boolean): string {
  return `FROM ${NODE}
${formatPythonSetup(python)}COPY . /tests
RUN chmod 755 /tests/test.sh
WORKDIR /tests
`;
}

function formatPythonSetup(isNeeded: boolean): string {
  if (!isNeeded) return '';
  return 'RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*\n';
}
