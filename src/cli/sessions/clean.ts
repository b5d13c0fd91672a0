/** `tandem sessions clean`: frees the workspaces of runs that ended long ago (S3.7). */
import { openStore } from '../../app/open-store.ts';
import { findHome, type Home } from '../../config/home.ts';
import { sweepTemporaryFolders } from '../../disk/temporary-folder.ts';
import { describeError } from '../../errors.ts';
import { CLEANED_AFTER_MS, cleanWorkspaces, type CleanReport } from '../../pipeline/sessions/clean-workspaces.ts';
import { formatBytes, formatCount } from '../../report/text/number-format.ts';
import { printAnswer, type Io } from '../command-context.ts';
import { parseDurationMs } from '../parse-numbers.ts';

export type CleanFlags = { olderThan?: string | undefined; dryRun?: boolean | undefined; json?: boolean | undefined };

export async function cleanSessions(flags: CleanFlags, io: Io): Promise<number> {
  const { olderThan } = flags;
  const olderThanMs =
    olderThan === undefined ? CLEANED_AFTER_MS : parseDurationMs('--older-than', olderThan, { orZero: true });
  const dryRun = flags.dryRun === true;
  const report = await cleanWorkspaces({ olderThanMs, dryRun }, openStore(findHome(io.cwd)));
  const value = { dryRun, ...report, bytes: sumFreedBytes(report) };
  return printAnswer(io, { json: flags.json, value, lines: cleanReportLines(report, dryRun) });
}

/** Runs at the start of a command that works on runs; a failure here must not stop the command. */
export async function cleanAtStart(home: Home, log: (line: string) => void): Promise<void> {
  try {
    const deps = openStore(home);
    for (const line of await deps.store.sweep()) log(line);
    const swept = await sweepTemporaryFolders();
    if (swept.length > 0)
      log(`Removed ${formatCount(swept.length, 'temporary folder')} of processes that were killed.`);
    const report = await cleanWorkspaces({ olderThanMs: CLEANED_AFTER_MS, dryRun: false }, deps);
    if (report.cleaned.length > 0) log(cleanReportLines({ ...report, kept: [] }, false).at(-1) ?? '');
  } catch (error) {
    log(`Old workspaces were not cleaned: ${describeError(error)}`);
  }
}

function sumFreedBytes({ cleaned }: CleanReport): number {
  return cleaned.reduce((sum, { bytes }) => sum + bytes, 0);
}

function cleanReportLines(report: CleanReport, dryRun: boolean): string[] {
  const { cleaned, kept } = report;
  const done = dryRun ? 'Would free' : 'Freed';
  return [
    ...cleaned.map(
      ({ run, scenario, bytes, files, published = 0 }) =>
        `${scenario}/${run}  ${formatCount(files, 'file')}, ${formatBytes(bytes)}${publishedText(published, dryRun)}`,
    ),
    ...kept.map(({ run, why }) => `${run} keeps its workspace: ${why}`),
    cleaned.length === 0
      ? 'Nothing to free: no run that ended that long ago has left anything.'
      : `${done} ${formatBytes(sumFreedBytes(report))} in the workspaces of ${formatCount(cleaned.length, 'ended run')}.`,
  ];
}

function publishedText(entries: number, dryRun: boolean): string {
  if (entries === 0) return '';
  return `; ${formatCount(entries, 'entry', 'entries')} of its conversations ${dryRun ? 'would go' : 'went'} into its transcripts first`;
}
