/** One session on a folder: a host for its tools and one for its checkers in each language, started at the first call. */
import type { Arguments, SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { hostFailure, type HostOutcome } from './host-outcomes.ts';
import type { HostProcess, HostCall } from './host-process.ts';
import { MAX_CHARS } from './limits.ts';
import { languageOf, type Language } from './module-file.ts';
import { createComponentHost, type ComponentHost } from './component-host.ts';
import { at } from './cached-values.mts';
import { packTexts } from './shared-texts.ts';
import { createArgumentSharer, withEdits, type ArgumentSharer } from './shared-values.ts';

/** How an isolated host of each language is started; Python's rejects where it cannot run. */
export type Starts = Readonly<Record<Language, () => Promise<HostProcess>>>;

/** `dir` is a real path; `ready` are hosts of JavaScript that were started already, and now belong to the session. */
export function createSandboxSession(dir: string, starts: Starts, ready: Promise<HostProcess>[] = []): SandboxSession {
  const hosts = new Map<string, ComponentHost>();
  const share = createArgumentSharer();
  let isClosed = false;

  // A spare that did not start proves nothing: the next try may work.
  const startFor = (language: Language) => (): Promise<HostProcess> => {
    const spare = language === 'javascript' ? ready.shift() : undefined;
    return spare?.catch(starts[language]) ?? starts[language]();
  };
  const hostOf = (module: string): ComponentHost => {
    const name = hostNameOf(module);
    const host = hosts.get(name) ?? createComponentHost(dir, startFor(languageOf(module)));
    hosts.set(name, host);
    // A host must not start after the session was closed.
    if (isClosed) void host.close();
    return host;
  };

  return {
    async call({ module, name, args, timeoutMs }, signal) {
      const sent = written(args, share);
      if ('ok' in sent) return sent;
      const question = { module, name, ...sent, times: 1, returnsArgs: true };
      const [outcome] = await hostOf(module).inTurn((ask) => ask(question, { timeoutMs, signal }));
      return outcome === undefined ? hostFailure('crashed', 'it did not answer') : asLeft(outcome, args);
    },
    async askAll({ modules, name, args, times, timeoutMs }, signal) {
      const sent = written(args, share);
      if ('ok' in sent) return modules.map(() => [sent]);
      const answers = new Map<string, SandboxOutcome[]>();
      const askThose = (those: readonly string[]): Promise<void> =>
        hostOf(those[0] ?? '').inTurn(async (ask) => {
          for (const module of those) {
            const question = { module, name, ...sent, times, returnsArgs: false };
            answers.set(module, await ask(question, { timeoutMs, signal }));
          }
        });
      const byHost = Object.values(Object.groupBy(modules, hostNameOf));
      await Promise.all(byHost.map((those = []) => askThose(those)));
      return modules.map((module) => answers.get(module) ?? []);
    },
    async close() {
      isClosed = true;
      await Promise.all([...hosts.values()].map((host) => host.close()));
      const unused = await Promise.allSettled(ready.splice(0));
      const started = unused.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(started.map((host) => host.kill()));
    },
  };
}

/** Tools and checkers never share a process, so that a tool cannot reach the code which judges it; nor do languages. */
function hostNameOf(module: string): string {
  return `${module.split('/')[0]} ${languageOf(module)}`;
}

/** The host returns only what has changed; the rest is as given. */
function asLeft(outcome: HostOutcome, given: Arguments): SandboxOutcome {
  if (!outcome.ok) return outcome;
  const { edits, ...plain } = outcome;
  if (!('shared' in given)) return plain.args.length === 0 ? { ...plain, args: [...given] } : plain;
  const left = withEdits(given, plain.args, edits ?? []);
  return 'fault' in left
    ? hostFailure('too_large', `what it left cannot be taken: ${left.fault}`)
    : { ...plain, ...left };
}

/** The arguments as a question contains them, or the refusal to send so many. */
function written(
  given: Arguments,
  share: ArgumentSharer,
): Pick<HostCall, 'args' | 'places' | 'keeps'> | SandboxOutcome {
  const shared = share(given);
  if ('fault' in shared) return hostFailure('too_large', shared.fault);
  const packed = packTexts(shared.args);
  const text = JSON.stringify(packed.args);
  const kept = shared.places.length === 0 ? '' : `"kept":${JSON.stringify(shared.places)},`;
  const textAt = (path: readonly string[]): string => String(at(packed.args, path, path.length - 1)[path.at(-1) ?? '']);
  const repeated = packed.same.reduce((sum, [, from]) => sum + textAt(from).length, 0);
  const chars = text.length + kept.length + repeated;
  if (chars <= MAX_CHARS)
    return { args: text, places: `${kept}"same":${JSON.stringify(packed.same)}`, keeps: shared.keeps };
  return hostFailure('too_large', `the arguments have ${chars} characters; at most ${MAX_CHARS} are sent`);
}
