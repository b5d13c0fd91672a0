/** Plays the gold paths of all samples of a scenario, and lists what was said with all that a statement is held against. */
import { openConfined } from '../../src/app/open-sandbox.ts';
import { stageFor } from '../../src/evaluation/components/call-tool.ts';
import { loadInSession } from '../../src/evaluation/components/load-components.ts';
import { listedPath, playPath } from '../../src/evaluation/components/trial-record.ts';
import type { StatementInput } from '../../src/evaluation/statements/read-trial.ts';
import { toStatementInput } from '../../src/evaluation/statements/find-false-statements.ts';
import { readDesign } from '../../src/run-folder/read-design.ts';
import type { TraceLine } from '../../src/scenario/trace.ts';

export type PlayedGold = { sample: string; input: StatementInput };

export async function playGold(design: string, components: string): Promise<PlayedGold[]> {
  const { parts, problems } = await readDesign(design, 'design');
  if (parts === undefined) throw new Error(problems.join('\n'));
  const { signal } = new AbortController();
  const sandbox = await openConfined({ allowUnsandboxed: true });
  const session = await sandbox.open(components);
  try {
    const { components: loaded } = await loadInSession(session, components, signal);
    const played: PlayedGold[] = [];
    for (const one of loaded.samples) {
      const stage = stageFor(one, loaded, { format: parts.format, session });
      const { events = [] } = await playPath(stage, listedPath(one.sample, 'gold', one.world), signal);
      const lines = events.map((event) => event as TraceLine);
      played.push({ sample: one.sample.id, input: toStatementInput(lines, parts, loaded) });
    }
    return played;
  } finally {
    await session.close();
  }
}
