/** Harbor's `task.toml`, schema 1.4: the permitted contents, and their text. */
import { z } from 'zod';
import { isJsonObject } from '../../scenario/json/json-value.ts';

const Network = z.enum(['no-network', 'public', 'allowlist']);
const Seconds = z.number().positive();
const User = z.union([z.string(), z.int()]);
const Texts = z.record(z.string(), z.string());

const McpServer = z
  .strictObject({
    name: z.string(),
    transport: z.enum(['stdio', 'sse', 'streamable-http']),
    url: z.string().optional(),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
  })
  .refine(({ transport, url, command }) => (transport === 'stdio' ? command : url) !== undefined, {
    message: 'stdio needs a command, every other transport a url',
  });

const Healthcheck = z.strictObject({
  command: z.string(),
  interval_sec: Seconds.optional(),
  timeout_sec: Seconds.optional(),
  start_period_sec: z.number().nonnegative().optional(),
  start_interval_sec: Seconds.optional(),
  retries: z.int().positive().optional(),
});

const policy = { network_mode: Network.optional(), allowed_hosts: z.array(z.string()).optional() };
const isPolicy = ({ network_mode, allowed_hosts }: { network_mode?: string | undefined; allowed_hosts?: unknown }) =>
  allowed_hosts === undefined || network_mode === 'allowlist';
const POLICY = { path: ['allowed_hosts'], message: 'only with network_mode = "allowlist"' };

const Environment = z
  .strictObject({
    build_timeout_sec: Seconds.optional(),
    docker_image: z.string().optional(),
    os: z.enum(['linux', 'windows']).optional(),
    cpus: z.int().positive().optional(),
    memory_mb: z.int().positive().optional(),
    storage_mb: z.int().positive().optional(),
    gpus: z.int().nonnegative().optional(),
    gpu_types: z.array(z.string()).optional(),
    mcp_servers: z.array(McpServer).optional(),
    env: Texts.optional(),
    skills_dir: z.string().optional(),
    healthcheck: Healthcheck.optional(),
    workdir: z.string().optional(),
    ...policy,
  })
  .refine(isPolicy, POLICY);

const Verifier = z
  .strictObject({
    timeout_sec: Seconds.optional(),
    env: Texts.optional(),
    user: User.optional(),
    environment_mode: z.enum(['shared', 'separate']).optional(),
    environment: Environment.optional(),
    collect: z
      .array(
        z.strictObject({
          command: z.string(),
          service: z.string().optional(),
          timeout_sec: Seconds.optional(),
          user: User.optional(),
        }),
      )
      .optional(),
    ...policy,
  })
  .refine(isPolicy, POLICY)
  .refine((verifier) => verifier.environment_mode !== 'shared' || verifier.environment === undefined, {
    message: 'a shared verifier has no environment of its own',
  });

const isPlain = (path: string): boolean => !path.split('/').includes('..');
const Artifact = z.strictObject({
  source: z.string().refine(isPlain, 'without ".."'),
  destination: z
    .string()
    .refine((path) => isPlain(path) && !/^\/|\\/.test(path), 'a relative path')
    .optional(),
  exclude: z.array(z.string()).optional(),
  service: z.string().optional(),
});

/** Unknown keys are faults here, although Harbor ignores them. Tasks of several steps are not written. */
export const HarborTask = z.strictObject({
  schema_version: z.literal('1.4'),
  source: z.string().optional(),
  artifacts: z.array(z.union([z.string().refine(isPlain, 'without ".."'), Artifact])).optional(),
  task: z.strictObject({
    name: z.string().regex(/^(?!.*\.\.)[a-zA-Z0-9][\w.-]*\/[a-zA-Z0-9][\w.-]*$/, 'expected org/name'),
    version: z.string().min(1).optional(),
    description: z.string().optional(),
    authors: z.array(z.strictObject({ name: z.string(), email: z.string().optional() })).optional(),
    keywords: z.array(z.string()).optional(),
  }),
  metadata: z.record(z.string(), z.unknown()).optional(),
  agent: z
    .strictObject({ timeout_sec: Seconds.optional(), user: User.optional(), ...policy })
    .refine(isPolicy, POLICY)
    .optional(),
  verifier: Verifier.optional(),
  environment: Environment.optional(),
  solution: z.strictObject({ env: Texts.optional() }).optional(),
});
export type HarborTask = z.infer<typeof HarborTask>;

type TomlTable = { readonly [key: string]: unknown };

/** Formats values before tables, as TOML demands it. */
export function formatToml(table: TomlTable, path: readonly string[] = []): string {
  const entries = Object.entries(table).filter(([, value]) => value !== undefined);
  const isNested = (value: unknown): boolean => isJsonObject(value) || isTables(value);
  const values = entries
    .filter(([, value]) => !isNested(value))
    .map(([key, value]) => `${formatKey(key)} = ${formatValue(value)}`);
  const tables = entries.flatMap(([key, value]): string[] => {
    const at = [...path, key];
    const head = at.map(formatKey).join('.');
    if (isTables(value)) return value.map((one) => `\n[[${head}]]\n${formatToml(one, at)}`);
    return isJsonObject(value) ? [`\n[${head}]\n${formatToml(value, at)}`] : [];
  });
  return [...values.map((line) => `${line}\n`), ...tables].join('');
}

function isTables(value: unknown): value is TomlTable[] {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject);
}

function formatKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : formatValue(key);
}

/** A JSON string is a TOML string, except for DEL, which JSON does not escape. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  return JSON.stringify(value).replaceAll('\u007F', '\\u007F');
}
