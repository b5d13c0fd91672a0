/** The progress port: told of everything that happens, answers nothing, must not throw. */
import type { ProgressEvent } from '../run/progress-event.ts';

export type { ProgressEvent };
export type Progress = (event: ProgressEvent) => void;
