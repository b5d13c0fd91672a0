/** One sample as a task of Harbor: what the agent is given, its environment, its verifier in another one, and the reference path. */
import { sha256 } from '../../disk/sha256.ts';
import type { LoadedSample } from '../../evaluation/components/components.ts';
import { userToolsOf } from '../../scenario/design.ts';
import { LARGE_WORLD_CHARS } from '../../scenario/world-limits.ts';
import { actionsOf, commandOf } from './actions.ts';
import { environmentImage, needsFullProgram, taskOf, verifierImage } from './task-manifest.ts';
import { HarborTask, tomlOf } from './task-toml.ts';
import { HarborWorld, type HarborOrigin } from './world-file.ts';
import { worldOf, type HarborExport, type HarborFile } from './world-of.ts';
import { jsonFile } from '../imported-files.ts';

export function taskFiles(loaded: LoadedSample, shared: HarborExport): HarborFile[] {
  const { sample } = loaded;
  const full = worldOf(loaded, shared);
  const { judge: _judge, ...world } = full;
  const programs = shared.programs(needsFullProgram(full) ? 'full' : 'plain');
  const python =
    shared.servers?.python === true || [...shared.components.paths.values()].some((path) => path.endsWith('.py'));
  const own = originOf(sample.id, shared);
  const tools = own.filter(({ path }) => path.startsWith('components/tools/'));
  // The sandbox sets its memory caps by the size of the worlds that it finds.
  const start = JSON.stringify(world.start);
  const large =
    start.length < LARGE_WORLD_CHARS ? [] : [{ path: 'components/samples/worlds/start.json', content: start }];
  const instruction = shared.prompt
    .replace('{{subject_prompt}}', () => shared.format.subject_prompt.trim())
    .replace('{{says_first}}', () => sample.user.says_first);
  return [
    { path: 'task.toml', content: tomlOf(HarborTask.parse(taskOf(loaded, full, shared))) },
    { path: 'instruction.md', content: instruction },
    { path: 'environment/Dockerfile', content: environmentImage(python) },
    { path: 'environment/world.sh', content: '#!/bin/sh\nexec node /opt/world/world.js "$@"\n', executable: true },
    ...below('environment/world', [
      ...[...programs, ...below('scenario', shared.servers?.files ?? [])],
      jsonFile('world.json', HarborWorld.parse(world)),
      ...tools,
      ...large,
    ]),
    { path: 'tests/Dockerfile', content: verifierImage(python) },
    { path: 'tests/test.sh', content: `#!/bin/bash\nexec node /tests/world/world.js verify\n`, executable: true },
    ...below('tests/world', [...programs, jsonFile('world.json', full), ...own]),
    jsonFile('tests/origin.json', {
      version: 1,
      ...{ generator: shared.generator, scenario: shared.scenario, sample: sample.id, ...shared.digests },
      files: Object.fromEntries(own.map(({ path, content }) => [path, sha256(content)])),
    } satisfies HarborOrigin),
    ...solutionFiles(loaded, shared),
  ];
}

function solutionFiles({ sample }: LoadedSample, { format }: HarborExport): HarborFile[] {
  return (['gold', 'wrong'] as const).map((path) => {
    const commands = actionsOf(sample, path, userToolsOf(format)).map(commandOf);
    const name = path === 'gold' ? 'solve' : 'wrong';
    return { path: `solution/${name}.sh`, content: ['#!/bin/bash', ...commands, ''].join('\n'), executable: true };
  });
}

function below(folder: string, files: readonly HarborFile[]): HarborFile[] {
  return files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
}

/** Everything but the other samples. */
function originOf(sample: string, { origin }: HarborExport): { path: string; content: Uint8Array }[] {
  const isOther = (path: string): boolean =>
    /^components\/samples\/[^/]+\.json$/.test(path) && !path.endsWith(`/${sample}.json`);
  return [...origin].flatMap(([path, content]) => (isOther(path) ? [] : [{ path, content }]));
}
