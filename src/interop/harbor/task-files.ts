/** The files of one sample as a Harbor task: instruction, environment, separate verifier, and reference path. */
import { sha256 } from '../../disk/sha256.ts';
import type { LoadedSample } from '../../evaluation/components/components.ts';
import { listUserTools } from '../../scenario/design.ts';
import { LARGE_WORLD_CHARS } from '../../scenario/world-limits.ts';
import { toActions, formatCommand } from './actions.ts';
import { environmentImage, needsFullProgram, toHarborTask, verifierImage } from './task-manifest.ts';
import { HarborTask, formatToml } from './task-toml.ts';
import { HarborWorld, type HarborOrigin } from './world-file.ts';
import { createJudgedWorld, type HarborExport, type HarborFile } from './judged-world.ts';
import { jsonFile } from '../imported-files.ts';

export function taskFiles(loaded: LoadedSample, shared: HarborExport): HarborFile[] {
  const { sample } = loaded;
  const full = createJudgedWorld(loaded, shared);
  const { judge: _judge, ...world } = full;
  const programs = shared.programs(needsFullProgram(full) ? 'full' : 'plain');
  const python =
    shared.servers?.python === true || [...shared.components.paths.values()].some((path) => path.endsWith('.py'));
  const own = listOriginFiles(sample.id, shared);
  const tools = own.filter(({ path }) => path.startsWith('components/tools/'));
  // The sandbox sets its memory caps by the size of the world files.
  const start = JSON.stringify(world.start);
  const large =
    start.length < LARGE_WORLD_CHARS ? [] : [{ path: 'components/samples/worlds/start.json', content: start }];
  const instruction = shared.prompt
    .replace('{{subject_prompt}}', () => shared.format.subject_prompt.trim())
    .replace('{{says_first}}', () => sample.user.says_first);
  return [
    { path: 'task.toml', content: formatToml(HarborTask.parse(toHarborTask(loaded, full, shared))) },
    { path: 'instruction.md', content: instruction },
    { path: 'environment/Dockerfile', content: environmentImage(python) },
    { path: 'environment/world.sh', content: '#!/bin/sh\nexec node /opt/world/world.js "$@"\n', executable: true },
    ...prefixPaths('environment/world', [
      ...[...programs, ...prefixPaths('scenario', shared.servers?.files ?? [])],
      jsonFile('world.json', HarborWorld.parse(world)),
      ...tools,
      ...large,
    ]),
    { path: 'tests/Dockerfile', content: verifierImage(python) },
    { path: 'tests/test.sh', content: `#!/bin/bash\nexec node /tests/world/world.js verify\n`, executable: true },
    ...prefixPaths('tests/world', [...programs, jsonFile('world.json', full), ...own]),
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
    const commands = toActions(sample, path, listUserTools(format)).map(formatCommand);
    const name = path === 'gold' ? 'solve' : 'wrong';
    return { path: `solution/${name}.sh`, content: ['#!/bin/bash', ...commands, ''].join('\n'), executable: true };
  });
}

function prefixPaths(folder: string, files: readonly HarborFile[]): HarborFile[] {
  return files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
}

/** Lists the origin files without the other samples. */
function listOriginFiles(sample: string, { origin }: HarborExport): { path: string; content: Uint8Array }[] {
  const isOther = (path: string): boolean =>
    /^components\/samples\/[^/]+\.json$/.test(path) && !path.endsWith(`/${sample}.json`);
  return [...origin].flatMap(([path, content]) => (isOther(path) ? [] : [{ path, content }]));
}
