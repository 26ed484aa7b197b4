/** Numbers that a model's provider or an outside agent tells. */

/** No turn uses more; and the sums of many such numbers are still whole ones. */
const COUNT_MOST = 1e12;

/** What was counted, as a whole number from 0 on. What is none was not counted. */
export const wholeCount = (count: number): number =>
  Number.isFinite(count) && count > 0 ? Math.min(COUNT_MOST, Math.round(count)) : 0;
