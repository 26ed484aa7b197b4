/**
 * Terminal output as spans of text. Colours become the theme's sixteen, so that output can neither hide text nor
 * look like a button; every other sequence (cursor, title, links, screen) is dropped.
 */
export interface AnsiSpan {
  readonly text: string;
  /** 0 to 15: black, red, green, yellow, blue, magenta, cyan, white, then the bright ones. */
  readonly color?: number;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
}

type Style = Omit<AnsiSpan, 'text'>;

// Control characters are what this file is about.
/* eslint-disable no-control-regex */
/** CSI, then OSC/DCS/PM/APC strings up to their end, then two-character sequences. An unfinished one is dropped. */
const SEQUENCE =
  /\u001B\[([0-9;:?<=>]*)[ -/]*([@-~])|[\u001B\u009B]\[?[0-9;:?]*$|\u001B[\]PX^_][\s\S]*?(?:\u0007|\u001B\\|$)|\u001B[ -/]*[0-~]/g;

export function parseAnsi(output: string): readonly AnsiSpan[] {
  const text = overwrite(output);
  const spans: AnsiSpan[] = [];
  let style: Style = {};
  let from = 0;
  const push = (piece: string) => {
    const last = spans.at(-1);
    if (piece === '') return;
    if (last !== undefined && sameStyle(last, style))
      spans[spans.length - 1] = { ...last, text: last.text + piece };
    else spans.push({ ...style, text: piece });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    push(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') style = applyColors(style, match[1] ?? '');
  }
  push(text.slice(from));
  return spans;
}

export function stripAnsi(output: string): string {
  return parseAnsi(output)
    .map((span) => span.text)
    .join('');
}

/** A carriage return begins the line anew, as progress bars do: what a terminal would show at the end is kept. */
function overwrite(output: string): string {
  if (!output.includes('\r') && !output.includes('\b')) return output;
  return output
    .split('\n')
    .map((line) => {
      let end = line.length;
      while (line[end - 1] === '\r') end -= 1;
      return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
    })
    .join('\n')
    .replace(/[^\n]\u0008/g, '');
}

function applyColors(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => Number(code === '' ? '0' : code));
  let next: Style = style;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const long = codes[index + 1] === 2;
      const color = long
        ? nearest(codes[index + 2] ?? 0, codes[index + 3] ?? 0, codes[index + 4] ?? 0)
        : ofPalette(codes[index + 2] ?? 0);
      if (code === 38) next = withColor(next, color);
      index += long ? 4 : 2;
    } else {
      next = applyCode(next, code);
    }
  }
  return next;
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return without(style, 'bold', 'dim');
  if (code === 23) return without(style, 'italic');
  if (code === 24) return without(style, 'underline');
  if (code === 39) return without(style, 'color');
  if (code >= 30 && code <= 37) return withColor(style, code - 30);
  if (code >= 90 && code <= 97) return withColor(style, code - 90 + 8);
  return style;
}

/** The 256-colour palette: 16 of the theme, a cube of 6×6×6, 24 greys. */
function ofPalette(index: number): number | undefined {
  if (index < 16) return index;
  if (index >= 232) return index < 244 ? 8 : undefined;
  const cube = index - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearest(red: number, green: number, blue: number): number | undefined {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 32) return most < 160 ? 8 : undefined;
  const middle = (most + least) / 2;
  const base = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return most > 200 ? base + 8 : base;
}

function withColor(style: Style, color: number | undefined): Style {
  return color === undefined ? without(style, 'color') : { ...style, color };
}

function without(style: Style, ...keys: readonly (keyof Style)[]): Style {
  return Object.fromEntries(
    Object.entries(style).filter(([key]) => !keys.some((dropped) => dropped === key)),
  );
}

function sameStyle(a: Style, b: Style): boolean {
  return (
    a.color === b.color &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline
  );
}
