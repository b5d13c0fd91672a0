/** Collects what all tasks of a Harbor export share: files, models, graders, and tool servers with their files. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { harborPrograms, type WORLD_PROGRAMS } from '../../app/harbor/programs.ts';
import { findModel, findThinking } from '../../app/models/known-model.ts';
import { findFile, findHome, type Home } from '../../config/home.ts';
import { loadPrompts, type PromptTexts } from '../../config/load-prompts.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { digestComponents, COMPONENT_FOLDERS } from '../../disk/components-digest.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { walkFiles } from '../../disk/walk-files.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { Components } from '../../evaluation/components/components.ts';
import { computeGraderKey } from '../../evaluation/graders/grading.ts';
import { listedGraders } from '../../evaluation/graders/prove-graders.ts';
import { SAY_TO_USER } from '../../interop/harbor/say-to-user.ts';
import type { ExportedGrader, HarborExport, HarborFile } from '../../interop/harbor/judged-world.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { packageVersion } from '../../own-file.ts';
import { openGrading } from '../../pipeline/evaluation/open-grading.ts';
import { NO_PRICE, type ModelCatalogue } from '../../ports/model.ts';
import { Brief } from '../../scenario/brief.ts';
import { userModelName } from '../../scenario/subject.ts';
import { designFor, findDesignFolder } from '../evaluate/component-folder.ts';
import { readResultsFile } from '../evaluate/read-results-file.ts';
import { scenarioOver } from '../evaluate/user-cost.ts';

/** `over` is the project's scenario with its servers and labels; `scenario` is the run's own copy if there is one. */
export type HarborScenario = { dir: string; over: string; scenario: string; brief: Brief };

/** `dir` is the folder of components. */
export async function readHarborScenario(dir: string): Promise<HarborScenario> {
  const over = scenarioOver(dir);
  const inRun = join(dir, '../../scenario');
  const scenario = existsSync(join(inRun, 'scenario.yaml')) ? inRun : over;
  if (scenario === undefined || over === undefined)
    throw usageError(`${dir} belongs to no scenario, and a task needs its subject: name a run or a scenario.`);
  const brief = await readYamlFile(join(scenario, 'scenario.yaml'), Brief, join(scenario, 'scenario.yaml'));
  return { dir, over, scenario, brief };
}

type GatherInput = { components: Components; servers: HarborExport['servers']; cwd: string; signal: AbortSignal };

/** Throws `usage`, naming the part that cannot become a task. */
export async function gatherHarbor(
  { dir, over, scenario, brief }: HarborScenario,
  { components, servers, cwd, signal }: GatherInput,
): Promise<HarborExport> {
  const place = await findDesignFolder(dir, undefined);
  const design = await designFor(dir, place);
  refuseTools(design.format.tools, components);
  const law = existsSync(join(scenario, 'CODE_LAW.md')) ? ['CODE_LAW.md'] : [];
  const origin = new Map<string, Uint8Array>([
    ...(servers?.files ?? []).map(({ path, content }) => [`scenario/${path}`, content] as const),
    ...(await readFolderFiles(dir, 'components', (path) =>
      COMPONENT_FOLDERS.some((folder) => path.startsWith(`${folder}/`)),
    )),
    ...(await readFolderFiles(place, 'design')),
    ...(await readFolderFiles(scenario, 'scenario', (path) =>
      ['scenario.yaml', ...brief.reads, ...law].includes(path),
    )),
  ]);
  const home = findHome(cwd);
  const prompts = await loadPrompts(home);
  const { max_steps: steps, seconds, usd } = brief.subject;
  const programs = { plain: await harborPrograms('plain'), full: await loadFullPrograms(components, brief) };
  return {
    scenario: brief.name,
    format: design.format,
    components,
    origin,
    digests: { components: await digestComponents(dir), design: design.digest },
    programs: (kind) => programs[kind],
    prompt: await readFile(findFile(home, 'prompts/harbor_task.md'), 'utf8'),
    generator: `tandem-harness ${packageVersion()}`,
    limits: { steps, seconds, usd },
    user: brief.user.simulator,
    userModel: await findUserModel(brief, home, prompts),
    graders: await collectGraders(components, { dir, over, brief, home, prompts, signal }),
    servers,
  };
}

function refuseTools(tools: HarborExport['format']['tools'], components: Components): void {
  const missing = tools.find(({ name }) => !components.tools.some((tool) => tool.name === name));
  if (missing !== undefined)
    throw usageError(`The tool ${missing.name} is no file in tools/: only tools that are files can be exported.`);
  if (tools.some(({ name }) => name === SAY_TO_USER.name))
    throw usageError(`A tool is named ${SAY_TO_USER.name}, as the task's own is: rename it.`);
}

/** Loaded only when a task needs them: in a checkout they are bundled each time. */
async function loadFullPrograms(
  { samples, graders = [] }: Components,
  { user, tools }: Brief,
): Promise<readonly HarborFile[]> {
  const isNeeded =
    tools !== undefined ||
    graders.length > 0 ||
    samples.some(({ sample }) => (sample.user.simulator ?? user.simulator) === 'model');
  return isNeeded ? harborPrograms('full' satisfies keyof typeof WORLD_PROGRAMS) : [];
}

async function findUserModel(brief: Brief, home: Home, prompts: PromptTexts): Promise<HarborExport['userModel']> {
  const model = userModelName(brief);
  if (model === undefined) return undefined;
  const thinking = await findThinking(home, model);
  return { model, ...omitUndefined({ thinking }), prompt: prompts.user_simulator, max_tokens: brief.user.max_tokens };
}

type GraderSource = { dir: string; over: string; brief: Brief; home: Home; prompts: PromptTexts; signal: AbortSignal };

/** A grader counts as in a run: this version has proven itself, and people's labels or the scenario allow it. */
async function collectGraders(components: Components, graded: GraderSource): Promise<HarborExport['graders']> {
  const graders = listedGraders(components);
  if (graders.length === 0) return undefined;
  const { dir, over, brief, home, prompts, signal } = graded;
  const file = join(dir, 'results.json');
  const proofs = existsSync(file) ? ((await readResultsFile(file)).verification.graders ?? []) : [];
  const nobody = () => {
    throw new HarnessError('config_invalid', 'An export asks no model.');
  };
  const grading = await openGrading({
    ...{ labels: openSharedFiles(over, { linked: true }), brief, prompts, signal },
    catalogue: factsFromTable(home),
    modelFor: nobody,
  });
  const byId = new Map<string, ExportedGrader>();
  for (const grader of graders) {
    const key = await computeGraderKey(grader, grading);
    const { name: model, thinking } = await grading.modelOf(grader);
    const proof = proofs.find((one) => one.id === grader.id && one.key === key);
    const isProven = proof?.cases.every(({ wanted, got }) => got !== 'void' && (wanted === 'either' || got === wanted));
    const counts = isProven === true && grading.counts(grader, key);
    byId.set(grader.id, { grader, model, ...omitUndefined({ thinking }), counts, ...omitUndefined({ proof }) });
  }
  const { grader, grader_void, grader_order, grader_padding } = prompts;
  return { prompts: { grader, grader_void, grader_order, grader_padding }, byId };
}

function factsFromTable(home: Home): ModelCatalogue {
  return {
    describe: async (id) => {
      const known = await findModel(home, id);
      const facts = known ?? {
        id,
        window: 0,
        maxOutput: 0,
        boundThinking: false,
        price: NO_PRICE,
        source: 'table' as const,
      };
      const thinking = await findThinking(home, id);
      return { ...facts, ...omitUndefined({ thinking }) };
    },
  };
}

async function readFolderFiles(
  dir: string,
  as: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<[string, Uint8Array][]> {
  const paths = (await walkFiles(dir)).filter(isWanted);
  return Promise.all(
    paths.map(async (path): Promise<[string, Uint8Array]> => [`${as}/${path}`, await readFile(join(dir, path))]),
  );
}
