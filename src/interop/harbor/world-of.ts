/** What an export to Harbor knows, and the world of one sample that its programs act in and judge by. */
import { pathOf, type Components, type LoadedSample } from '../../evaluation/components/components.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { userToolsOf, type FormatSpec } from '../../scenario/design.ts';
import type { GraderProof } from '../../scenario/grader.ts';
import type { UserKind } from '../../scenario/subject.ts';
import { actionsOf } from './actions.ts';
import type { HarborWorld, JudgedWorld } from './world-file.ts';

export type HarborFile = { path: string; content: string | Uint8Array; executable?: boolean };

type WorldGraders = NonNullable<JudgedWorld['judge']['graders']>;
/** A grader with what its proof found in this very version. */
export type ExportedGrader = WorldGraders['all'][number] & { proof?: GraderProof | undefined };

/** What all tasks of an export have in common. */
export type HarborExport = {
  scenario: string;
  format: FormatSpec;
  components: Pick<Components, 'tools' | 'paths'>;
  /** `components/…`, `design/…` and `scenario/…`: the files that it is made of, by their paths. */
  origin: ReadonlyMap<string, Uint8Array>;
  digests: { components: string; design: string };
  /** With models and servers, and without. */
  programs: (kind: 'full' | 'plain') => readonly HarborFile[];
  /** `prompts/harbor_task.md`. */
  prompt: string;
  /** `tandem-harness 1.2.3` */
  generator: string;
  limits: { steps: number; seconds: number; usd?: number | undefined };
  user: UserKind;
  /** Who plays the users that a model plays. */
  userModel?: HarborWorld['user_model'] | undefined;
  graders?: { prompts: WorldGraders['prompts']; byId: ReadonlyMap<string, ExportedGrader> } | undefined;
  /** The servers of tools, and the files of the scenario that they are started from. */
  servers?:
    | {
        all: NonNullable<HarborWorld['servers']>;
        files: readonly { path: string; content: Uint8Array }[];
        python: boolean;
      }
    | undefined;
};

export function worldOf({ sample, world }: LoadedSample, shared: HarborExport): JudgedWorld {
  const { format, components, user, userModel, graders, servers, limits } = shared;
  const { tools, paths } = components;
  const ofUser = userToolsOf(format);
  const kind = sample.user.simulator ?? user;
  const listed = (sample.graders ?? []).flatMap((id) => graders?.byId.get(id) ?? []);
  const steps = Math.max(sample.limits.steps ?? limits.steps, actionsOf(sample, 'gold', ofUser).length);
  const checkers = Object.fromEntries(sample.checkers.map((id) => [id, pathOf(paths, 'checkers', id)]));
  return {
    version: 1,
    start: world,
    schema: format.world,
    user: sample.user,
    user_answers: kind,
    ...(kind === 'model' && omitUndefined({ user_model: userModel })),
    steps,
    ...omitUndefined({ servers: servers?.all }),
    tools: format.tools.flatMap(({ name }) => {
      const spec = tools.find((tool) => tool.name === name);
      if (spec === undefined) return [];
      const { examples: _examples, ...rest } = spec;
      return [{ ...rest, path: pathOf(paths, 'tools', name), by: ofUser.has(name) ? 'user' : 'subject' }];
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
