/** What the suite in the extension host tells the runner outside: one such line of JSON per event. */
export type ReportLine =
  | { readonly kind: 'passed'; readonly title: string; readonly ms: number }
  | { readonly kind: 'skipped'; readonly title: string }
  | { readonly kind: 'failed'; readonly title: string; readonly error: string }
  | { readonly kind: 'again'; readonly title: string; readonly error: string }
  | { readonly kind: 'end'; readonly error?: string };
