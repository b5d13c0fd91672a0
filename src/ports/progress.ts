/** The progress port: receives everything that happens, returns nothing, must not throw. */
import type { ProgressEvent } from '../run/progress-event.ts';

export type { ProgressEvent };
export type Progress = (event: ProgressEvent) => void;
