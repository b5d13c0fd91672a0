/** The style sheet of report pages, for those who write one: the room that draws them reads no file. */
import { readOwnText } from '../own-file.ts';

export const REPORT_STYLE = readOwnText('../report/html/report.css', import.meta.url);
