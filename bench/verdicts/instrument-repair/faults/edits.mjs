/**
 * Each fault says its kind, the file that it is in, and what it can decide: `verdict` where a trial of these samples may be judged
 * wrongly through it, `answer` where a subject may be misled, `other` where only a trial unlike these samples would show it, and `nothing` where
 * another judge of the same samples decides the same anyway (said of seven faults after the first run; all of them were counted).
 */
const put = (layer, file) => (kind, decides, from, to) => ({ kind, decides, layer, file, from, to });
export const tool = (name) => put('2', `tools/${name}`);
export const checker = (name) => put('3', `checkers/${name}`);
export const sample = (id) => (kind, decides, edit) => ({
  kind,
  decides,
  layer: '4a',
  file: `samples/${id}.json`,
  edit,
});
