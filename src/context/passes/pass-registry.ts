/** Every pass by the name that policies use; a new one needs its name in `pass-spec.ts`, its function, and its line here. */
import { HarnessError } from '../../errors.ts';
import type { PassName, PassSpec } from '../pass-spec.ts';
import { clearResults, compressResults, pointToImages } from './compress-results.ts';
import type { PassContext, CutDraft, Pass, PassAttempt } from './cut-draft.ts';
import {
  cutBeforeAnswer,
  keepFewerSteps,
  keepFewerTurns,
  keepLatestSteps,
  keepLatestTurns,
  limitMessages,
  replaceConversation,
} from './cut-passes.ts';
import { dropItems } from './drop-items.ts';
import { shortenLongResults } from './shorten-long-results.ts';

/** A pass that never ends would hold the agent up for ever. */
const MOST_ATTEMPTS = 500;

/** Contract: `config_invalid` for a pass that there is not, and for a proposal that is none. */
export const pluginPass: Pass<'plugin'> = function* pluginPass(draft, context) {
  const { spec, plugins = {} } = context;
  const pass = Object.hasOwn(plugins, spec.plugin) ? plugins[spec.plugin] : undefined;
  if (pass === undefined) throw refused(spec.plugin, 'it is not in the tandem.config.ts of this project');
  let made = 0;
  for (const attempt of pass(draft, context)) {
    made += 1;
    if (made > MOST_ATTEMPTS) throw refused(spec.plugin, `it proposes more than ${MOST_ATTEMPTS} cuts`);
    const fault = faultIn(attempt?.draft, context);
    if (fault !== undefined) throw refused(spec.plugin, fault);
    yield { draft: attempt.draft, detail: attempt.detail.slice(0, 200) };
  }
};

/** What the view could not be built from, or would lose a task with. */
function faultIn(draft: CutDraft | undefined, { units, pinned }: PassContext): string | undefined {
  if (typeof draft !== 'object' || draft === null) return 'it has to yield { draft, detail }';
  const { keepFrom, left, summarise } = draft;
  if (!Number.isInteger(keepFrom) || keepFrom < 0 || keepFrom > units.length)
    return `draft.keepFrom has to be a number from 0 to ${units.length}`;
  if (!(left instanceof Set) || typeof summarise !== 'boolean')
    return 'draft.left has to be a Set, draft.summarise a boolean';
  const lost = [...left].find((id) => pinned.has(id));
  if (lost !== undefined) return `it drops ${lost}, which is a task`;
  for (const part of ['shortened', 'pointers', 'inputs'] as const) {
    const wanted = part === 'inputs' ? 'object' : 'string';
    const values: unknown[] = Object.values(draft[part] ?? { missing: undefined });
    if (values.some((value) => typeof value !== wanted || value === null))
      return `draft.${part} holds something else than ${wanted}s`;
  }
  return undefined;
}

function refused(name: string, why: string): HarnessError {
  return new HarnessError('config_invalid', `The policy's pass of the plugin passes.${name} cannot be used: ${why}.`);
}

const PASSES: { [Name in PassName]: Pass<Name> } = {
  'keep-latest-steps': keepLatestSteps,
  'shorten-long-results': shortenLongResults,
  'keep-fewer-steps': keepFewerSteps,
  'keep-latest-turns': keepLatestTurns,
  'keep-fewer-turns': keepFewerTurns,
  'limit-messages': limitMessages,
  'compress-results': compressResults,
  'clear-results': clearResults,
  'drop-items': dropItems,
  'point-to-images': pointToImages,
  'replace-conversation': replaceConversation,
  'cut-before-answer': cutBeforeAnswer,
  plugin: pluginPass,
};

export const PASS_NAMES = Object.keys(PASSES);

/** The attempts of one line of a policy. */
export function passAttempts(spec: PassSpec, draft: CutDraft, bench: Omit<PassContext, 'spec'>): Iterable<PassAttempt> {
  // The table pairs every name with its pass, which the type of a lookup cannot express.
  const pass = PASSES[spec.pass] as Pass;
  return pass(draft, { ...bench, spec });
}
