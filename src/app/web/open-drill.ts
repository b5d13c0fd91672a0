/** Opens a practice run: a copy of an approved design with one planted defect, in a folder of its own that is removed. */
import { randomInt } from 'node:crypto';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openFileBatches, openFileSessionStore } from '../../adapters/files/run-folder.ts';
import { openFileRunStore } from '../../adapters/files/file-run-store.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { createTemporaryFolder } from '../../disk/temporary-folder.ts';
import { HarnessError } from '../../errors.ts';
import { readDesignContent } from '../../gate/compare-designs.ts';
import {
  DEFECT_KINDS,
  listPlantings,
  type Defect,
  type DefectKind,
  type PlantedDesign,
} from '../../gate/drill/plant-defect.ts';
import { prepareGate } from '../../gate/open-gate.ts';
import { readPack } from '../../gate/read-pack.ts';
import { gateId } from '../../gate/rules/gate.ts';
import { readBrief } from '../../pipeline/start-run.ts';
import type { DesignContent } from '../../ports/decisions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { currentDesignDir } from '../../run/layout.ts';
import type { RunState } from '../../run/state.ts';
import { openSnapshot, readEvents, readState } from '../../run-folder/snapshot.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import type { Forecast } from '../../scenario/forecast/forecast.ts';
import type { ProjectDeps } from '../open-store.ts';

export type Drill = {
  run: RunFolder;
  gate: string;
  read: ProjectDeps;
  project: string;
  defect: Defect;
  remove: () => Promise<void>;
};

const NO_FORECAST: Forecast = { p50: 0, p90: 0, floor: 0, parts: {}, trials: 0, runs: { same: 0, other: 0 } };
const PRACTICE = 'policy:practice';

/** Contract: nothing is written beside the run whose design is copied. Throws `not_found` where none was approved. */
export async function openDrill(
  scenario: string,
  kind: DefectKind | undefined,
  { store, clock }: ProjectDeps,
): Promise<Drill> {
  const { run: source, state, round } = await findApproved(scenario, store);
  const design = await readDesignContent(source, currentDesignDir(state, round));
  const project = await createTemporaryFolder('drill');
  const remove = () => rm(project, { recursive: true, force: true });
  try {
    const shared = openSharedFiles(project);
    const by = { clock, worker: 'practice' };
    const own = openFileRunStore({ roots: [join(project, 'scenarios')], ...by });
    const [batches, sessions] = [openFileBatches(project), openFileSessionStore(project, by)];
    const read = { store: own, clock, shared, batches, sessions, progress: () => undefined };
    const home = join(project, 'scenarios', source.scenario);
    await mkdir(home, { recursive: true });
    const run = await own.create(home, `practice-${source.id}`);
    const defect = await writePractice(run, { source, round, design, kind });
    return { run, gate: gateId(1), read, project, defect, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Approved = { run: RunFolder; state: RunState; round: number };

async function findApproved(scenario: string, store: ProjectDeps['store']): Promise<Approved> {
  for (const place of await store.list()) {
    if (place.scenario !== scenario) continue;
    const run = await store.open(place.dir);
    const { state } = await openSnapshot(run);
    const approved = state.designs.findLast((design) => design.approved !== undefined);
    if (approved !== undefined) return { run, state, round: approved.round };
  }
  throw new HarnessError('not_found', `No design of ${scenario} was approved yet: practice needs one to copy.`);
}

type PracticeSource = { source: RunFolder; round: number; design: DesignContent; kind: DefectKind | undefined };

/** Writes the journal up to the gate, so that the page shows the copy as it shows any first design. */
async function writePractice(run: RunFolder, { source, round, design, kind }: PracticeSource): Promise<Defect> {
  await cp(join(source.dir, 'scenario'), join(run.dir, 'scenario'), { recursive: true });
  const created = (await readEvents(source)).find(({ body }) => body.type === 'run.created')?.body;
  if (created === undefined) throw new HarnessError('data_corrupt', `Run ${source.id} has no beginning.`);
  await run.journal.append(created, PRACTICE, 0);
  await run.journal.append({ type: 'run.started' }, PRACTICE, 1);
  const pack = await readPack(source, gateId(round));
  const attempt = await run.artifacts.begin('design.r1', 'design/r1', []);
  await attempt.write('unified_scenario_design.md', design.files['unified_scenario_design.md'] ?? '');
  await attempt.write('submission.json', JSON.stringify({ version: 1, summary: pack.summary }));
  for (const planted of shufflePlantings(design, kind)) {
    await attempt.write('business_rules.yaml', stringify(planted.rules, { lineWidth: 120 }));
    await attempt.write('format_spec.yaml', stringify(planted.format, { lineWidth: 120 }));
    // A defect that the checks of a submitted design refuse never comes before a reviewer.
    if ((await readDesign(attempt.out, 'design/r1')).parts === undefined) continue;
    const committed = await run.artifacts.commit(attempt);
    const { digest: packDigest, rules } = await prepareGate(run, {
      ...{ state: await readState(run), design: committed, brief: await readBrief(run) },
      forecast: pack.effect.forecast ?? NO_FORECAST,
    });
    const opened = { type: 'design.done' as const, round: 1, digest: committed.digest, packDigest, rules, need: 1 };
    await run.journal.append(opened, PRACTICE, 2);
    return planted.defect;
  }
  const what = kind === undefined ? 'No defect' : `No defect of the kind ${kind}`;
  throw new HarnessError('not_found', `${what} can be planted in the approved design of ${source.scenario}.`);
}

/** Puts the kinds in an order of chance, and the rules of each kind too. */
function shufflePlantings(design: DesignContent, kind: DefectKind | undefined): PlantedDesign[] {
  const kinds = kind === undefined ? shuffle(DEFECT_KINDS) : [kind];
  return kinds.flatMap((one) => shuffle(listPlantings(design, one)));
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(randomInt(left.length), 1));
}
