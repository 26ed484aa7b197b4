/** What agents write behind the fence of a code block, by the id under which VS Code knows that language. */
const IDS: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  console: 'shellscript',
  golang: 'go',
  js: 'javascript',
  jsx: 'javascriptreact',
  kt: 'kotlin',
  md: 'markdown',
  node: 'javascript',
  objc: 'objective-c',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

/** The id of a language that the editor knows; undefined for one that it would not colour. */
export function languageId(name: string, known: readonly string[]): string | undefined {
  const plain = name.toLowerCase();
  const id = Object.hasOwn(IDS, plain) ? IDS[plain] : plain;
  return id !== undefined && known.includes(id) ? id : undefined;
}
