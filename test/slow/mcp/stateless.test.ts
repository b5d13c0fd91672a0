/** A program evaluates a folder whose brief names a server of tools: it is started, and with `state: none` no world holds it. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { evaluateFolder, proveFolder } from '../../../src/app/evaluation/evaluate-folder.ts';
import { lampsBrief, lampsDesign, lampsFolder, turnOn } from '../../evaluation/lamps.ts';
import { call, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { PROGRAM } from '../../support/shop-server.ts';

/** A lookup of the server stands before the call of the sample. */
async function withServer(tool: string, input: object) {
  const { rules, format } = lampsDesign();
  const server = { name: 'shop', command: [process.execPath, PROGRAM], state: 'none' };
  const lookup = { name: tool, purpose: 'Looks something up.', changes_world: false };
  const file = { server: 'shop', tool, examples: [{ input, world: 'house' }] };
  const sample = { ...turnOn, gold: [{ tool, args: input }, ...turnOn.gold] };
  const dir = await lampsFolder({ [`tools/${tool}.mcp.json`]: file, 'samples/turn-on.json': sample });
  return {
    ...{ dir, rules, format: { ...format, tools: [...format.tools, lookup] } },
    ...{ brief: { ...lampsBrief(), tools: { mcp: [server] } }, scenarioDir: resolve('.') },
  };
}

test('the server of a folder is started in the named place, answers, and changes no world', async () => {
  const input = { a: 'lamps', b: [] };
  const folder = await withServer('odd', input);
  const played = await evaluateFolder({
    ...folder,
    concurrency: 2,
    modelFor: (lane) =>
      scriptedModel(
        lane.includes('turn-on')
          ? [call('odd', input), call('switch_lamp', { id: 'hall', on: true }), say('The hall lamp is on.')]
          : [say('It is locked.')],
      ),
  });
  expect(played.problems.filter(({ layer }) => layer !== undefined)).toEqual([]);
  expect(played.results).toMatchObject({ passed: 2, total: 2 });
  expect(played.results?.sandboxGaps?.join(' ')).toContain('servers of tools shop');
  const trace = await readFile(join(folder.dir, 'traces/turn-on.1.jsonl'), 'utf8');
  expect(trace).toContain(JSON.stringify(JSON.stringify(input)));
});

test('a server that says it has no state and answers gold otherwise the second time is found out by the proof', async () => {
  const { problems, proof } = await proveFolder(await withServer('hidden', {}));
  expect(proof).toBeUndefined();
  expect(problems).toContainEqual(
    expect.objectContaining({ layer: 2, code: 'tool-nondeterministic', component: 'hidden' }),
  );
});
