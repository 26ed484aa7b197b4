/**
 * The editor's four kinds of theme as a webview gets them: a class on the body, and variables on the root. `themes.json`
 * has what VS Code 1.139 gives to a webview in Dark Modern, Light Modern and its two high contrasts, as far as it is
 * used here; what stands in one theme only is unset in the others, as in VS Code.
 */
import colors from './themes.json';

export type ThemeName = 'dark' | 'light' | 'hc-dark' | 'hc-light';

export const THEMES: readonly ThemeName[] = ['dark', 'light', 'hc-dark', 'hc-light'];

export const BODY_CLASS: Record<ThemeName, string> = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'hc-dark': 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast-light vscode-high-contrast',
};

type Variables = Readonly<Record<string, string>>;

const fonts: Variables = {
  'font-family': '"Segoe WPC", "Segoe UI", "Liberation Sans", sans-serif',
  'font-size': '13px',
  'font-weight': 'normal',
  'editor-font-family': '"DejaVu Sans Mono", monospace',
  'editor-font-size': '12px',
};

const ALL: Readonly<Record<ThemeName, Variables>> = colors;

/** The variables as a style sheet, with what the editor itself puts into every webview. */
export function themeSheet(theme: ThemeName): string {
  const variables = Object.entries({ ...fonts, ...ALL[theme] }).map(
    ([name, value]) => `--vscode-${name}: ${value};`,
  );
  const scheme = theme.endsWith('light') ? 'light' : 'dark';
  return `:root { color-scheme: ${scheme}; ${variables.join(' ')} }
html { background: var(--vscode-sideBar-background); scrollbar-color: var(--vscode-scrollbarSlider-background) transparent; }
body { background: transparent; color: var(--vscode-editor-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); margin: 0; padding: 0 20px; }
img, video { max-width: 100%; max-height: 100%; }
a, a code { color: var(--vscode-textLink-foreground); }
code { font-family: var(--vscode-editor-font-family); color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
pre code { padding: 0; }
blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
::-webkit-scrollbar { width: 10px; height: 10px; }
::-webkit-scrollbar-thumb { background-color: var(--vscode-scrollbarSlider-background); }`;
}
