/**
 * The doors between the rooms, as a lint rule: which folder may import which, and which file may import a library.
 * ARCHITECTURE.md says why; this table is what is checked.
 */
import { dirname, join, relative, sep } from 'node:path';

/** A room is the longest of these prefixes that fits. It may import itself and what is listed. */
const rooms = {
  protocol: [],
  'host/base': [],
  'host/engine': ['protocol', 'host/base'],
  'host/adapters/': ['protocol', 'host/base', 'host/engine'],
  'host/store': ['protocol', 'host/base', 'host/engine'],
  'host/audit': ['protocol', 'host/base', 'host/engine'],
  'host/api': ['protocol', 'host/base', 'host/engine', 'host/adapters/', 'host/store', 'host/audit'],
  'host/boot.ts': ['protocol'],
  'host/compose': [
    'protocol',
    'host/base',
    'host/engine',
    'host/adapters/',
    'host/store',
    'host/audit',
    'host/api',
    'host/boot.ts',
  ],
  'host/main.ts': ['protocol', 'host/'],
  'host/thread.ts': ['protocol', 'host/'],
  shim: ['protocol'],
  acp: ['protocol'],
  extension: ['protocol'],
  webview: ['protocol', 'webview/bridgeProtocol.ts'],
  'webview/bridgeProtocol.ts': ['protocol'],
};

/** These may be imported for their types alone. */
const typesOnly = { extension: ['host/boot.ts', 'webview/bridgeProtocol.ts'] };

/** Each of these libraries stands behind the files listed, and every other library behind its room. */
const libraries = {
  vscode: ['extension/'],
  'sql.js': ['host/store/database.ts', 'host/store/nodeFiles.ts'],
  'node-pty': ['host/adapters/terminals/pty.ts'],
  '@xterm/headless': ['host/adapters/terminals/screen.ts'],
  'quickjs-emscripten-core': ['host/adapters/scripts/vm.ts'],
  '@jitl/quickjs-ng-wasmfile-release-sync': ['host/adapters/scripts/vm.ts'],
  '@modelcontextprotocol/sdk': ['host/adapters/mcp/', 'host/adapters/clientTools/'],
  '@agentclientprotocol/sdk': ['host/adapters/harnesses/', 'acp/'],
  '@anthropic-ai/sdk': ['host/adapters/models/'],
  openai: ['host/adapters/models/'],
  undici: ['host/base/web/undici'],
  '@vscode/ripgrep': ['extension/hostWorker.ts', 'host/thread.ts'],
  '@vscode/tree-sitter-wasm': ['host/adapters/commands/treeSitter.ts'],
  preact: ['webview/'],
  '@preact/signals': ['webview/'],
  'highlight.js': ['webview/'],
  'markdown-it': ['webview/'],
};

/** Folders whose sub-folders are rooms of their own that do not know each other. */
const separateBelow = 'host/adapters/';

const doors = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      closed: '{{from}} may not import {{to}}.',
      stray: '{{from}} is in no room; see test/architecture/doors.mjs.',
    },
  },
  create(context) {
    const file = relative(context.cwd, context.filename).split(sep).join('/');
    const from = roomOf(file);
    if (from === undefined) {
      const stray = (node) => context.report({ node, messageId: 'stray', data: { from: file } });
      return file.startsWith('test/') ? {} : { Program: stray };
    }

    function check(node) {
      const source = node.source?.value;
      if (typeof source !== 'string' || source.startsWith('node:')) return;
      const isType = node.importKind === 'type' || node.exportKind === 'type';
      const to = source.startsWith('.')
        ? join(dirname(file), source).split(sep).join('/')
        : libraryOf(source);
      const open = source.startsWith('.') ? roomIsOpen(from, file, to, isType) : libraryIsOpen(file, to);
      if (!open) context.report({ node, messageId: 'closed', data: { from: file, to } });
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export default { rules: { doors } };

function roomIsOpen(from, file, target, isType) {
  const to = roomOf(target);
  if (to === undefined) return false;
  if (to === from) return separatePart(file) === separatePart(target);
  if (rooms[from].some((allowed) => to === allowed || (allowed === 'host/' && to.startsWith(allowed))))
    return true;
  return isType && (typesOnly[from] ?? []).includes(to);
}

function libraryIsOpen(file, name) {
  const behind = libraries[name];
  return behind === undefined || behind.some((prefix) => file.startsWith(prefix));
}

function roomOf(path) {
  const fits = Object.keys(rooms).filter((room) => {
    const bare = room.replace(/\.ts$/, '');
    return (
      path === room ||
      path === bare ||
      path === `${bare}.ts` ||
      path.startsWith(bare.endsWith('/') ? bare : `${bare}/`)
    );
  });
  return fits.sort((a, b) => b.length - a.length)[0];
}

function separatePart(path) {
  return path.startsWith(separateBelow) ? path.slice(separateBelow.length).split('/')[0] : '';
}

function libraryOf(source) {
  const parts = source.split('/');
  return source.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}
