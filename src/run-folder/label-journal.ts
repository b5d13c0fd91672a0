/** The labels of a scenario: one file per label, never changed, each holding the hash of the previous one. */
import { canonicalJson, sha256 } from '../disk/sha256.ts';
import { NUMBERED_NAME, toNumberedName } from '../disk/numbered-files.ts';
import { parseFile } from '../disk/parse-file.ts';
import { HarnessError } from '../errors.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { Label } from '../scenario/label.ts';

export type NewLabel = Omit<Label, 'version' | 'seq' | 'prev' | 'hash'>;

const FOLDER = 'labels';
/** A try fails only when somebody else writes a label at the same moment. */
const TRIES = 100;

/** `files` are the scenario's. Contract: `data_corrupt` names the file that was changed or is missing. */
export async function readLabels(files: SharedFiles): Promise<Label[]> {
  const texts = new Map([...(await files.list(FOLDER))].filter(([name]) => NUMBERED_NAME.test(name)));
  const labels: Label[] = [];
  while (labels.length < texts.size) {
    const name = `${FOLDER}/${toNumberedName(labels.length)}`;
    const text = texts.get(toNumberedName(labels.length));
    if (text === undefined) throw createLabelError(name, 'is missing, and later ones are there');
    const label = parseFile(Label, text, name);
    const { hash, ...rest } = label;
    if (hash !== hashLabel(rest))
      throw createLabelError(name, 'was changed after it was written: its hash does not match');
    if (label.prev !== (labels.at(-1)?.hash ?? ''))
      throw createLabelError(name, 'does not follow the label before it: the chain is broken there');
    labels.push(label);
  }
  return labels;
}

/** With `once`, an existing answer of this labeller to the same question is kept and returned. */
export async function appendLabel(
  files: SharedFiles,
  label: NewLabel,
  { once = false }: { once?: boolean | undefined } = {},
): Promise<Label> {
  return (await appendUnlessThere(files, label, (one) => once && isSameQuestion(one, label))).label;
}

/** Appends the labels of `from` that `into` lacks, in their order; resolves with their number. */
export async function mergeLabels(from: SharedFiles, into: SharedFiles): Promise<number> {
  let added = 0;
  for (const label of await readLabels(from)) {
    const said = stripChainFields(label);
    const text = canonicalJson(said);
    const { isNew } = await appendUnlessThere(into, said, (one) => canonicalJson(stripChainFields(one)) === text);
    if (isNew) added += 1;
  }
  return added;
}

function stripChainFields({ version: _version, seq: _seq, prev: _prev, hash: _hash, ...label }: Label): NewLabel {
  return label;
}

async function appendUnlessThere(
  files: SharedFiles,
  label: NewLabel,
  isThere: (one: Label) => boolean,
): Promise<{ label: Label; isNew: boolean }> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await readLabels(files);
    const own = before.findLast(isThere);
    if (own !== undefined) return { label: own, isNew: false };
    const unsigned = { version: 1 as const, seq: before.length, prev: before.at(-1)?.hash ?? '', ...label };
    const written = { ...unsigned, hash: hashLabel(unsigned) };
    const path = `${FOLDER}/${toNumberedName(before.length)}`;
    if (await files.create(path, `${JSON.stringify(written, null, 2)}\n`)) return { label: written, isNew: true };
  }
  throw new HarnessError('journal_conflict', 'Others label at the same time: give the command again.');
}

function isSameQuestion(one: Label, { by, grader, conversation }: NewLabel): boolean {
  return one.by === by && one.grader === grader && one.conversation === conversation;
}

function hashLabel(label: Omit<Label, 'hash'>): string {
  return sha256(canonicalJson(label));
}

function createLabelError(name: string, what: string): HarnessError {
  const message = `${name} ${what}. Restore it from a copy of the scenario.`;
  return new HarnessError('data_corrupt', message, { details: { file: name } });
}
