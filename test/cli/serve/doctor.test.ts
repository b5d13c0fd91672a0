/** What doctor says of the address of a model: it asks there, at no cost. */
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
