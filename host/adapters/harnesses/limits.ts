/** Whether an agent tries again because of its provider's limit, by the words that it has for it. Pure. */

/** Statuses 429, 503 and 529, and the names that providers give them. */
export const isLimit = (detail: string): boolean =>
  /\b(?:429|503|529)\b|rate.?limit|overloaded|too many requests|quota/i.test(detail);
