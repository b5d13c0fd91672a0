/** `tandem context replay <transcript>`: replays a recorded conversation under each context policy, call by call. */
import { requireModel, type KnownModel } from '../../app/models/known-model.ts';
import { findHome, listNames, type Home } from '../../config/home.ts';
import { loadCore } from '../../config/load-core.ts';
import type { Budget, Core } from '../../context/core.ts';
import { extractFacts, type Fact } from '../../context-lab/replay/facts.ts';
import { fitRecorded, type CalibrationFit } from '../../context-lab/replay/calibration.ts';
import { perfectSummariser } from '../../context-lab/replay/summariser.ts';
import { replay, type Replay } from '../../context-lab/replay/replay.ts';
import { readNamedText } from '../../disk/read-named-file.ts';
import { computeCost } from '../../ports/model.ts';
import { renderReplays, type ReplayHead } from '../../report/context/replay.ts';
import { estimateFloor } from '../../transcript/tokens.ts';
import { importTranscript, type Imported } from '../../interop/transcripts/import.ts';
import { terminalSize, type JsonFlag, type TextFlags, printAnswer, type Io } from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';

export type ContextReplayOptions = TextFlags<'window'> & JsonFlag & { policy?: string[] | undefined; model: string };

const MOST_FACTS = 40;
/** Small variants for demonstrations, replayed only when they are named. */
const NOT_BY_DEFAULT = new Set(['demo']);
const PLAIN_COLUMNS = 110;
/** The agent whose summary fields are asked for, and the output cap of its calls. */
const FIELDS_OF = 'execute';
const MAX_OUTPUT = 16_000;

type ReplaySetup = {
  recorded: Imported;
  model: KnownModel;
  budget: Budget;
  fit: CalibrationFit | undefined;
  facts: Fact[];
  ratio: number;
};

export async function replayTranscript(path: string, options: ContextReplayOptions, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const names = listPolicyNames(home, options.policy);
  const recorded = importTranscript(await readNamedText(path, path, { mayBeTorn: true }), path);
  const setup = await prepareReplay(home, recorded, options);
  const replays: Replay[] = [];
  for (const name of names) {
    io.err(`replaying ${recorded.entries.length} messages by ${name} …`);
    replays.push(replayByPolicy(await loadCore(home, name, FIELDS_OF), setup));
  }
  const head = buildReplayHead(path, setup);
  const lines = renderReplays(replays, head, terminalSize(io, PLAIN_COLUMNS));
  return printAnswer(io, { json: options.json, value: toReplayJson(replays, setup, head), lines });
}

function listPolicyNames(home: Home, wanted: readonly string[] | undefined): string[] {
  if (wanted !== undefined && wanted.length > 0) return [...new Set(wanted)];
  const known = listNames(home, 'config/context').flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []);
  return known.filter((name) => !NOT_BY_DEFAULT.has(name));
}

/** Billed tokens in the recording, where present, give the size of its fixed part and the scale of our estimate. */
async function prepareReplay(home: Home, recorded: Imported, options: ContextReplayOptions): Promise<ReplaySetup> {
  const model = await requireModel(home, options.model);
  const fit = fitRecorded(recorded.entries);
  const ratio = fit?.ratio ?? 1;
  const window = parseOptionalCount('--window', options.window) ?? model.window;
  const maxOutput = Math.min(MAX_OUTPUT, model.maxOutput);
  const floor = fit === undefined ? estimateFloor(recorded.system, []) : Math.round(fit.fixed / ratio);
  const facts = extractFacts(recorded.entries, MOST_FACTS);
  return { recorded, model, fit, ratio, facts, budget: { window, maxOutput, floor } };
}

/** The summaries forget nothing that they were shown, so each lost fact is lost by the policy. */
function replayByPolicy(core: Omit<Core, 'budget'>, setup: ReplaySetup): Replay {
  const { recorded, model, budget, facts, ratio } = setup;
  return replay(recorded.entries, {
    core: { ...core, budget, model: { systemMessages: true } },
    rules: { boundThinking: model.boundThinking && core.policy.thinking === 'strip', prefill: false },
    summariser: perfectSummariser,
    facts,
    ratio,
    priceOf: (usage) => computeCost(usage, model.price),
  });
}

function buildReplayHead(path: string, setup: ReplaySetup): ReplayHead {
  const { recorded, model, budget, fit, facts, ratio } = setup;
  const own = recorded.compactions.map(
    ({ line, tokensBefore }) => `line ${line}${tokensBefore === undefined ? '' : ` (${tokensBefore} tokens)`}`,
  );
  const compacted = `The recorder compacted its own context at ${own.join(', ')}`;
  const { price } = model;
  return {
    title: `${path}: ${recorded.format}, ${recorded.entries.length} messages`,
    notes: recorded.notes,
    assumptions: [
      `${model.id}, window ${budget.window}, output cap ${budget.maxOutput}; input $${price.input}, cache write $${price.cacheWrite}, read $${price.cacheRead}, output $${price.output} per million tokens.`,
      fit === undefined
        ? `Tokens are estimates: too few calls of the recording were billed. System prompt and tools: ${Math.round(budget.floor * ratio)}.`
        : `Tokens as billed in ${fit.samples} recorded calls: ${fit.fixed} for system prompt and tools, ${fit.ratio.toFixed(3)} per estimated token of messages.`,
      'Cache: marks as the harness sets them, 5 minutes, 20 blocks of lookback, nothing under 4,096 tokens; pauses as recorded, else none.',
      `Summaries: perfect. Facts: ${facts.length} ids that were seen early and used in a call much later; one is lost when a rewritten view lacks it while it is still needed.`,
      'The recorded answers stand, whatever the policy: what a model would have said otherwise nobody knows.',
      ...(own.length === 0 ? [] : [`${compacted}; the replay begins from the whole conversation.`]),
    ],
  };
}

/** Leaves out `entries`, which would repeat the conversation. */
function toReplayJson(replays: readonly Replay[], { recorded, ...setup }: ReplaySetup, head: ReplayHead) {
  return {
    ...head,
    format: recorded.format,
    model: setup.model.id,
    budget: setup.budget,
    fit: setup.fit ?? null,
    recordedCompactions: recorded.compactions,
    policies: replays.map(({ entries: _entries, ...rest }) => rest),
  };
}
