import { expect, test } from 'vitest';
import { HarborTask, formatToml } from '../../../src/interop/harbor/task-toml.ts';

const task = { schema_version: '1.4', task: { name: 'desk/one-case' } } as const;

test('values come before tables, tables in tables and lists of tables have their whole path, texts are escaped', () => {
  const text = formatToml({
    environment: {
      workdir: '/app',
      mcp_servers: [{ name: 'world', args: ['mcp', 'a"b'] }],
      env: { 'A B': 'x\n\u007Fy' },
    },
    artifacts: ['/log'],
    left: undefined,
    cpus: 1,
  });
  expect(text).toBe(`artifacts = ["/log"]
cpus = 1

[environment]
workdir = "/app"

[[environment.mcp_servers]]
name = "world"
args = ["mcp", "a\\"b"]

[environment.env]
"A B" = "x\\n\\u007Fy"
`);
});

test.each([
  ['a key that the format does not have', { ...task, agents: {} }],
  ['a name without an organisation', { ...task, task: { name: 'one-case' } }],
  [
    'a server over stdio without a command',
    { ...task, environment: { mcp_servers: [{ name: 'w', transport: 'stdio' }] } },
  ],
  ['hosts without an allowlist', { ...task, environment: { allowed_hosts: ['a.example'] } }],
  ['a shared verifier with an environment', { ...task, verifier: { environment_mode: 'shared', environment: {} } }],
  ['an artifact above its place', { ...task, artifacts: ['/var/../etc/passwd'] }],
])('%s is refused', (_, manifest) => {
  expect(HarborTask.safeParse(task).success).toBe(true);
  expect(HarborTask.safeParse(manifest).success).toBe(false);
});
