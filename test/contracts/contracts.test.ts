/** Ports, their contract suites and the adapters are found by listing: a new one without its suite fails here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { codeIn, sourcesOf } from '../support/imports.ts';

const PORTS = 'src/ports';
const ADAPTERS = 'src/adapters';

/** Ports without a suite, each with the reason. */
const NO_SUITE: Record<string, string> = {
  chat: 'one implementation, in src/pipeline/chat; test/pipeline/chat holds it',
  decisions: 'implemented by src/gate alone; test/gate holds it',
  drafts: 'one adapter; test/adapters/files/file-drafts.test.ts holds its contract',
  'tool-servers': 'one adapter; test/adapters/mcp and test/slow/mcp hold its contract',
  'tool-worlds': 'one adapter; test/adapters/mcp and test/slow/mcp hold its contract',
  telemetry: 'one adapter, and none of the harness waits for it; test/adapters/telemetry holds it',
};

/** Openers of a port that no suite calls by name, each with the reason. */
const NO_RUN: Record<string, string> = {
  'anthropic/catalogue.ts: createCatalogue':
    'describes models and calls none; test/adapters/anthropic/catalogue.test.ts',
  'bullmq/trial-lane.ts: optionsOfTrial': 'takes a part of the port, implements none',
  'files/file-artifacts.ts: createAttempt': 'opened by openFileArtifacts, whose suite uses it',
  'files/file-journal.ts: openShapedJournal': 'openFileJournal is this with the events of runs, and runs the suite',
  'files/run-folder.ts: openFileSessionStore':
    'a store of sessions and not of runs: its suite is test/contracts/session-store.contract.ts',
  'files/run-folder.ts: createSessionPlaces': 'used by both stores of sessions, whose suite runs on each',
  'files/file-spending.ts: openFileSpending': 'opened by openFileRunStore, whose suite uses it',
  'files/file-transcripts.ts: openFileTranscripts': 'opened by openFileRunStore, whose suite uses it',
  'files/run-folder.ts: openRunFolder': 'opened by openFileRunStore, whose suite uses it',
  'notices/email.ts: createEmail': 'opened by openChannels, whose suite runs on each kind',
  'postgres/stored-batches.ts: openStoredBatches': 'opened by openPostgresRunStore, whose suite uses it',
  'postgres/stored-artifacts.ts: openStoredArtifacts': 'opened by openPostgresRunStore, whose suite uses it',
  'postgres/stored-shared.ts: openStoredShared': 'opened by openPostgresRunStore, whose suite uses it',
  'quickjs/open-quickjs.ts: createQuickjsSession': 'opened by both sandboxes of QuickJS, whose suites use it',
  'quickjs/quickjs-or-process.ts: pureFirst': 'chooses between two sandboxes that both pass the suite',
  'quickjs/quickjs-or-process.ts: pureFirstIn': 'is pureFirst, with the second sandbox opened when it is needed',
  'quickjs/quickjs-or-process.ts: pureFirstInBubblewrap': 'run by openConfined in test/slow/sandbox-contract.test.ts',
  'sandbox/open-sandbox.ts: openBareProcess': 'has no walls on purpose: the attacks must succeed in it',
  'sandbox/open-sandbox.ts: openSandbox': 'chooses among sandboxes that pass the suite',
  'sandbox/sandbox-session.ts: createSandboxSession': 'opened by every sandbox, whose suites use it',
  'telemetry/traced-model.ts: tracedModel': 'hands every call on; test/adapters/telemetry/open-telemetry.test.ts',
};

/** Adapter folders that implement no port. */
const NO_PORT: Record<string, string> = {
  simulated: 'an HTTP server that anthropic calls; its own tests hold it to the rules of the API',
  mcp: 'its port has no suite',
  telemetry: 'its port has no suite',
};

const read = (path: string): string => readFileSync(path, 'utf8');
const list = (folder: string): string[] => codeIn(folder).map((path) => path.slice(folder.length + 1));

/** Interfaces by their names -> the port that they belong to. */
const interfaces = new Map(
  list(PORTS).flatMap((file) =>
    [...read(join(PORTS, file)).matchAll(/^export interface (\w+)/gm)].map(([, name = '']) => [
      name,
      basename(file, '.ts'),
    ]),
  ),
);
const ports = new Set(interfaces.values());
const suiteOf = (port: string): string => `test/contracts/${port}.contract.ts`;

type SuiteRun = { test: string; text: string; ports: string[]; adapters: string[] };

/** Every test that calls a suite, with the adapters that it imports, itself or by way of a helper. */
const runs: SuiteRun[] = list('test')
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => {
    const file = `test/${path}`;
    const text = read(file);
    const called = [...text.matchAll(/from '[./]*contracts\/([\w-]+)\.contract\.ts'/g)].map(([, port = '']) => port);
    const adapters = sourcesOf(file).filter((one) => one.startsWith(`${ADAPTERS}/`));
    return { test: file, text, ports: called.filter(() => /\w+Contract\(/.test(text)), adapters };
  })
  .filter((run) => run.ports.length > 0);

/** Functions of adapters that return what a port with a suite promises. */
function openers(): { key: string; file: string; name: string; port: string }[] {
  return list(ADAPTERS).flatMap((file) =>
    [...read(join(ADAPTERS, file)).matchAll(/^export (?:async )?function (\w+)[\s\S]*?\): ([^{=]+) \{/gm)].flatMap(
      ([, name = '', returned = '']) => {
        const port = returned
          .match(/\w+/g)
          ?.map((word) => interfaces.get(word))
          .find((one) => one !== undefined);
        return port === undefined || !existsSync(suiteOf(port)) ? [] : [{ key: `${file}: ${name}`, file, name, port }];
      },
    ),
  );
}

test('every port has a contract suite, or a reason', () => {
  const bare = [...ports].filter((port) => !existsSync(suiteOf(port)) && NO_SUITE[port] === undefined);
  expect(bare.map((port) => `${PORTS}/${port}.ts: write ${suiteOf(port)}, or say in NO_SUITE why not`)).toEqual([]);
});

test('every opener of a port runs its suite, or has a reason', () => {
  const idle = openers().filter(
    ({ key, name, port }) =>
      NO_RUN[key] === undefined &&
      !runs.some((run) => run.ports.includes(port) && new RegExp(`\\b${name}\\b`).test(run.text)),
  );
  expect(
    idle.map(({ key, port }) => `${key}: call the suite of ${suiteOf(port)} on it, or say in NO_RUN why not`),
  ).toEqual([]);
});

test('every adapter folder is in a test that runs a suite, or has a reason', () => {
  const folders = readdirSync(ADAPTERS, { withFileTypes: true }).filter((one) => one.isDirectory());
  const idle = folders
    .map(({ name }) => name)
    .filter((name) => NO_PORT[name] === undefined)
    .filter((name) => !runs.some(({ adapters }) => adapters.some((one) => one.startsWith(`${ADAPTERS}/${name}/`))));
  expect(idle.map((name) => `${ADAPTERS}/${name}: no test runs the suite of its port on it (test/contracts)`)).toEqual(
    [],
  );
});

test('every suite is run, and no reason is out of date', () => {
  const suites = list('test/contracts').filter((path) => path.endsWith('.contract.ts'));
  const idle = suites.filter((path) => !runs.some((run) => run.ports.includes(path.replace('.contract.ts', ''))));
  const keys = new Set(openers().map(({ key }) => key));
  const stale = [
    ...Object.keys(NO_SUITE).filter((port) => !ports.has(port) || existsSync(suiteOf(port))),
    ...Object.keys(NO_RUN).filter((key) => !keys.has(key)),
    ...Object.keys(NO_PORT).filter((name) => !existsSync(join(ADAPTERS, name))),
  ];
  expect({ idle, stale }).toEqual({ idle: [], stale: [] });
});
