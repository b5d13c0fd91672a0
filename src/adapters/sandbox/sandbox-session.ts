/** One session on a folder: each component gets a host at its first call; the host that is idle longest makes room. */
import type { CallArguments, SandboxOutcome, OpenSandbox } from '../../ports/sandbox.ts';
import { hostFailure, type HostOutcome } from './host-outcomes.ts';
import type { HostCall } from './host-process.ts';
import { MAX_ARGUMENT_CHARS } from './limits.ts';
import { detectLanguage, type ModuleLanguage } from './module-file.ts';
import { createComponentHost, type ComponentHost, type HostStart } from './component-host.ts';
import { packTexts } from './shared-texts.ts';
import { createArgumentSharer, withEdits, type ArgumentSharer } from './shared-values.ts';

/** `roomOf` tells which modules share a host: those of the same folder. */
export type HostKind = HostStart & { roomOf: (module: string) => string };

/** The start of Python rejects where Python cannot run. */
export type HostKinds = Readonly<Record<ModuleLanguage, HostKind>>;

/** The most hosts of one session that keep an idle process for their next call. */
const IDLE_HOSTS = 12;

/** `dir` is a real path. */
export function createSandboxSession(dir: string, kinds: HostKinds): OpenSandbox {
  const hosts = new Map<string, ComponentHost>();
  const share = createArgumentSharer();
  let isClosed = false;

  const roomOf = (module: string): string => {
    const language = detectLanguage(module);
    return `${language} ${kinds[language].roomOf(module)}`;
  };
  /** Keeps the hosts in the order of their last use. */
  const hostOf = (module: string): ComponentHost => {
    const name = roomOf(module);
    const host = hosts.get(name) ?? createComponentHost(dir, kinds[detectLanguage(module)]);
    hosts.delete(name);
    hosts.set(name, host);
    const oldest = [...hosts.values()][hosts.size - 1 - IDLE_HOSTS];
    void oldest?.rest();
    // A host must not start after the session was closed.
    if (isClosed) void host.close();
    return host;
  };

  return {
    async call({ module, name, args, timeoutMs }, signal) {
      const sent = packArguments(args, share, 'too_large');
      if ('ok' in sent) return sent;
      const question = { module, name, ...sent, times: 1, returnsArgs: true };
      const [outcome] = await hostOf(module).ask(question, { timeoutMs, signal });
      return outcome === undefined ? hostFailure('crashed', 'it did not answer') : withChangedArgs(outcome, args);
    },
    async askAll({ modules, name, args, times, timeoutMs }, signal) {
      const sent = packArguments(args, share, 'over_limit');
      if ('ok' in sent) return modules.map(() => [sent]);
      const ask = (module: string): Promise<SandboxOutcome[]> =>
        hostOf(module).ask({ module, name, ...sent, times, returnsArgs: false }, { timeoutMs, signal });
      return Promise.all(modules.map(ask));
    },
    async close() {
      isClosed = true;
      await Promise.all([...hosts.values()].map((host) => host.close()));
    },
  };
}

/** The host returns only the changed arguments; the others stay as given. */
function withChangedArgs(outcome: HostOutcome, given: CallArguments): SandboxOutcome {
  if (!outcome.ok) return outcome;
  const { edits, ...plain } = outcome;
  if (!('shared' in given)) return plain.args.length === 0 ? { ...plain, args: [...given] } : plain;
  const left = withEdits(given, plain.args, edits ?? []);
  return 'fault' in left
    ? hostFailure('too_large', `what it left cannot be taken: ${left.fault}`)
    : { ...plain, ...left };
}

/** Packs the arguments for a question, or refuses arguments that are too large. */
function packArguments(
  given: CallArguments,
  share: ArgumentSharer,
  kind: 'too_large' | 'over_limit',
): Pick<HostCall, 'given' | 'keeps'> | SandboxOutcome {
  const shared = share(given);
  if ('fault' in shared) return hostFailure(kind, shared.fault);
  const packed = packTexts(shared.args);
  const text = JSON.stringify(packed.args);
  const kept = shared.places.length === 0 ? '' : `"kept":${JSON.stringify(shared.places)},`;
  const chars = text.length + kept.length;
  if (chars <= MAX_ARGUMENT_CHARS)
    return { given: { args: text, places: `${kept}"same":${JSON.stringify(packed.same)}` }, keeps: shared.keeps };
  const message = `the conversation and its worlds have ${chars} characters; at most ${MAX_ARGUMENT_CHARS} are sent to a component`;
  return hostFailure(kind, message);
}
