/** `tandem fork <run>`: a new run that begins where another one stood after one of its events. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import { HarnessError } from '../../errors.ts';
import { forkRun } from '../../pipeline/control/fork.ts';
import { commandActor } from '../actor.ts';
import { EXIT } from '../exit-code.ts';
import { nextSteps } from './finish.ts';
import type { Io } from '../io.ts';

export type ForkCommandOptions = { at?: string | undefined; id?: string | undefined; json?: boolean | undefined };

export async function forkCommand(name: string, options: ForkCommandOptions, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const from = await deps.store.open(name);
  const around = resolve(from.dir, '../..');
  const scenarioDir = existsSync(join(around, 'scenario.yaml'))
    ? around
    : (await loadScenario(home, from.scenario)).dir;
  const { run, at, state } = await forkRun(
    from,
    {
      actor: commandActor(io),
      scenarioDir,
      ...(options.at === undefined ? {} : { at: numberOf(options.at) }),
      ...(options.id === undefined ? {} : { id: options.id }),
    },
    deps,
  );
  if (options.json === true) {
    io.out(JSON.stringify({ run: run.id, folder: run.dir, from: from.id, at, status: state.status }));
    return EXIT.met;
  }
  io.out(`Run ${run.id} begins after event ${at} of ${from.id}: it is ${state.status}, with a money cap of its own.`);
  for (const line of nextSteps(run.id, state)) io.out(line);
  return EXIT.met;
}

function numberOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new HarnessError('usage', `--at "${text}": expected the number of an event, such as --at 3.`);
}
