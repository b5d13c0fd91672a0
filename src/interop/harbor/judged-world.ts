/** The data of an export to Harbor, and the world of one sample, in which its programs act and judge. */
import { getComponentPath, type Components, type LoadedSample } from '../../evaluation/components/components.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { listUserTools, type FormatSpec } from '../../scenario/design.ts';
import type { GraderProof } from '../../scenario/grader.ts';
import type { UserKind } from '../../scenario/subject.ts';
import { toActions } from './actions.ts';
import type { HarborWorld, JudgedWorld } from './world-file.ts';

export type HarborFile = { path: string; content: string | Uint8Array; executable?: boolean };

type WorldGraders = NonNullable<JudgedWorld['judge']['graders']>;
/** A grader with the result of its proof in exactly this version. */
export type ExportedGrader = WorldGraders['all'][number] & { proof?: GraderProof | undefined };

/** The data that all tasks of an export share. */
export type HarborExport = {
  scenario: string;
  format: FormatSpec;
  components: Pick<Components, 'tools' | 'paths'>;
  /** The scenario's own files by path: `components/…`, `design/…` and `scenario/…`. */
  origin: ReadonlyMap<string, Uint8Array>;
  digests: { components: string; design: string };
  /** `full`: with models and servers; `plain`: without. */
  programs: (kind: 'full' | 'plain') => readonly HarborFile[];
  /** The text of `prompts/harbor_task.md`. */
  prompt: string;
  /** The program and its version, such as `tandem-harness 1.2.3`. */
  generator: string;
  limits: { steps: number; seconds: number; usd?: number | undefined };
  user: UserKind;
  /** The model that plays users. */
  userModel?: HarborWorld['user_model'] | undefined;
  graders?: { prompts: WorldGraders['prompts']; byId: ReadonlyMap<string, ExportedGrader> } | undefined;
  /** The tool servers, and the scenario's files that they need. */
  servers?:
    | {
        all: NonNullable<HarborWorld['servers']>;
        files: readonly { path: string; content: Uint8Array }[];
        python: boolean;
      }
    | undefined;
};

export function createJudgedWorld({ sample, world }: LoadedSample, shared: HarborExport): JudgedWorld {
  const { format, components, user, userModel, graders, servers, limits } = shared;
  const { tools, paths } = components;
  const ofUser = listUserTools(format);
  const kind = sample.user.simulator ?? user;
  const listed = (sample.graders ?? []).flatMap((id) => graders?.byId.get(id) ?? []);
  const steps = Math.max(sample.limits.steps ?? limits.steps, toActions(sample, 'gold', ofUser).length);
  const checkers = Object.fromEntries(sample.checkers.map((id) => [id, getComponentPath(paths, 'checkers', id)]));
  return {
    version: 1,
    start: world,
    schema: format.world,
    user: sample.user,
    // A task has no trial without a verdict, so its user also answers what is only likely.
    user_answers: kind === 'auto' ? 'scripted' : kind,
    ...(kind === 'model' && omitUndefined({ user_model: userModel })),
    steps,
    ...omitUndefined({ servers: servers?.all }),
    tools: format.tools.flatMap(({ name }) => {
      const spec = tools.find((tool) => tool.name === name);
      if (spec === undefined) return [];
      const { examples: _examples, ...rest } = spec;
      return [{ ...rest, path: getComponentPath(paths, 'tools', name), by: ofUser.has(name) ? 'user' : 'subject' }];
    }),
    judge: {
      ...{ sample, checkers },
      ...(graders !== undefined &&
        listed.length > 0 && {
          graders: { prompts: graders.prompts, all: listed.map(({ proof: _proof, ...grader }) => grader) },
        }),
    },
  };
}
