/** A gap in a design; `name` is what Init repeats in `left_out`: a rule, or the words of the source. */
export type DesignGap = { name: string; text: string };
