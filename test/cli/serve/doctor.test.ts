/** What doctor says of the address of a model: it asks there, at no cost. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { doctorCommand } from '../../../src/cli/serve/doctor.ts';
import { makeProject, quietIo } from '../../support/project.ts';
import { refuses, says, startScriptedServer, type Reply } from '../../support/scripted-server.ts';

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).toReversed()) await one();
});

async function modelLine(reply: Reply): Promise<string | undefined> {
  const server = await startScriptedServer([reply]);
  const project = await makeProject();
  undo.push(server.close, project.remove);
  const io = quietIo(project.dir, { ANTHROPIC_API_KEY: 'sk-ant-secret-key', ANTHROPIC_BASE_URL: server.url });
  await doctorCommand({}, io);
  return io.said.find((line) => /^\w+ +model /.test(line));
}

test.each<[string, Reply, RegExp]>([
  ['an API', says({ data: [{ id: 'claude-opus-5-5' }] }), /^ok .* answers, key of 17 characters/],
  ['a page', says('<html>Log in</html>'), /^broken .*web page.*ANTHROPIC_BASE_URL/],
  ['a gateway with nobody behind it', says('<html>Bad Gateway</html>', 502), /^broken .*502.*ANTHROPIC_BASE_URL/],
  ['an API that refuses the key', refuses(401, 'authentication_error', 'invalid x-api-key'), /^broken .*key/],
])('%s', async (_title, reply, expected) => {
  expect(await modelLine(reply)).toMatch(expected);
});

test('a program that the sandbox finds in its usual place is not missing because PATH leaves that out', async () => {
  const project = await makeProject();
  undo.push(project.remove);
  vi.stubEnv('PATH', '/nowhere');
  const io = quietIo(project.dir);
  await doctorCommand({}, io).finally(() => vi.unstubAllEnvs());
  expect(io.said.filter((line) => /^\w+ +(?:sandbox|prlimit) /.test(line))).toEqual([
    expect.stringMatching(/^ok .*bubblewrap/),
    expect.stringMatching(/^ok .*util-linux/),
  ]);
});

test('tools whose schemas no API takes are left out by name, and the others of their server stay', async () => {
  const project = await makeProject();
  undo.push(project.remove);
  const program = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url));
  const config = `version: 1\nmcp:\n  docs: { command: [${process.execPath}, ${program}, foreign] }\n`;
  await writeFile(join(project.dir, 'config/default.yaml'), config);
  const io = quietIo(project.dir);
  await doctorCommand({}, io);
  const line = io.said.find((one) => /^\w+ +mcp:docs /.test(one));
  expect(line).toMatch(/^ok .*10 tools/);
  for (const name of ['broken', 'array']) expect(line).toContain(`"${name}" is left out: `);
});
