/** Composes the chat: the model of each scenario, opened at the first question, and the files of the run. */
import { createSerialQueue } from '../../disk/serial-queue.ts';
import { getOrCreate } from '../../get-or-create.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { findScenarioDir, loadScenario } from '../../config/load-scenario.ts';
import { toGatePermissions, type Reviewers } from '../../config/reviewers.ts';
import { askInit } from '../../pipeline/chat/chat.ts';
import type { Chat, ChatProgress } from '../../ports/chat.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Progress } from '../../ports/progress.ts';
import type { RunFolder, RunStore } from '../../ports/run-store.ts';
import { openModelAccess, type ModelAccess, type ScenarioModels, countRetries } from '../models/open-model-access.ts';
import type { ProjectSetup } from '../models/open-models.ts';
import { openFileTools } from '../open-file-tools.ts';

export type OpenChatOptions = ProjectSetup & {
  reviewers: Reviewers;
  store: RunStore;
  signal: AbortSignal;
  /** The caller's telemetry, which it closes itself; default: the telemetry that the environment enables. */
  telemetry?: Telemetry;
  /** Receives events outside of an answer, such as a failed try. */
  progress?: Progress;
};

const doNothing = (): void => undefined;

export type OpenChat = Chat & {
  /** Opens the model of a run's scenario, to find out whether a model can answer, and which. */
  reach: (run: RunFolder) => Promise<Pick<ScenarioModels, 'simulated' | 'endpoint'>>;
  close: () => Promise<void>;
};

export function openChat(options: OpenChatOptions): OpenChat {
  const { home, config, reviewers, store, signal, progress = doNothing } = options;
  let access: Promise<ModelAccess> | undefined;
  const openAccess = (): Promise<ModelAccess> => (access ??= openModelAccess({ ...options, progress }));
  const models = new Map<string, Promise<ScenarioModels>>();
  const inTurn = new Map<string, ReturnType<typeof createSerialQueue>>();

  const modelsOf = (run: RunFolder): Promise<ScenarioModels> => {
    const place = findScenarioDir(run) ?? run.scenario;
    const opened = getOrCreate(models, place, async () => {
      const scenario = await loadScenario(home, place);
      return (await openAccess()).open({ scenario, signal });
    });
    // The next question tries again, because the endpoint may only have been away.
    opened.catch(() => models.delete(place));
    return opened;
  };

  /** Serialises the questions about one run, because each answer builds on the previous one. */
  const alone = (dir: string): ReturnType<typeof createSerialQueue> => getOrCreate(inTurn, dir, createSerialQueue);

  return {
    reach: modelsOf,
    ask: async (question, heard, until) => {
      const run = await store.open(question.run);
      return alone(run.dir)(async () => {
        const { model, catalogue } = await modelsOf(run);
        const { telemetry } = await openAccess();
        const { deciders } = toGatePermissions(reviewers, run.scenario);
        const deps = {
          ...{ store, model, catalogue, clock: { now: () => new Date() }, telemetry },
          fileTools: openFileTools,
          agent: await loadAgent(home, 'chat', config),
          prompts: await loadPrompts(home),
          ...(deciders === undefined ? {} : { askers: deciders }),
        };
        const asker = { heard: countViewChanges(heard, deps.telemetry), signal: AbortSignal.any([signal, until]) };
        return deps.telemetry.forRun(run, () => askInit({ ...question, run: run.dir }, deps, asker));
      });
    },
    close: async () => {
      await Promise.allSettled(models.values());
      await (await access)?.close();
    },
  };
}

/** Counts changes of what the model is shown, as in a run (S2.8). */
function countViewChanges(heard: (part: ChatProgress) => void, telemetry: Telemetry): typeof heard {
  const count = countRetries(doNothing, telemetry);
  return (part) => {
    if (part.type === 'context') count({ agent: 'chat', ...part });
    heard(part);
  };
}
