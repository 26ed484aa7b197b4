/** The colours of what needs the person and of what has failed, as in the chat. */
export const NEEDS_COLOR = 'notificationsWarningIcon.foreground';
export const FAILED_COLOR = 'errorForeground';

/** A row of a list as data, so that what a person sees can be tested without an editor. */
export interface Row {
  /** Stable over every change of what the row shows. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Name of a codicon, with `~spin` where something lives. */
  readonly icon: string;
  /** Name of a theme colour; the icon's shape tells the state without it. */
  readonly color?: string;
  /** Words in angle brackets, `<approval><diff>`, so that a `when` clause can ask for one of them. */
  readonly context: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** Markdown. Made when it is asked for, because it may be long. */
  readonly tooltip: () => string;
  readonly subject: Subject;
  readonly children?: readonly Row[];
  /** Begins folded. */
  readonly folded?: boolean;
}

/** What a row stands for. Commands take it from the row, or from a caller who writes it by hand. */
export type Subject =
  | { readonly approval: string }
  | { readonly question: string }
  | { readonly session: string }
  | { readonly handle: string }
  | { readonly change: string; readonly session: string }
  | { readonly server: string }
  | { readonly group: string };

/** Whether two rows would look the same. */
export function sameLook(a: Row, b: Row): boolean {
  return (
    a.label === b.label &&
    a.description === b.description &&
    a.icon === b.icon &&
    a.color === b.color &&
    a.context === b.context &&
    a.spoken === b.spoken
  );
}

/** Whether the same rows stand at the same places. */
export function sameShape(a: readonly Row[], b: readonly Row[]): boolean {
  return (
    a.length === b.length &&
    a.every((row, index) => {
      const other = b[index];
      return other?.id === row.id && sameShape(row.children ?? [], other.children ?? []);
    })
  );
}
