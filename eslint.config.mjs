import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import cord from './test/architecture/cord.mjs';
import architecture from './test/architecture/doors.mjs';

/** Every rule is an error or off: a warning is a rule that nobody obeys. */
export default defineConfig(
  globalIgnores(['dist/', 'out/', 'extension/demo/', '**/fixtures/', '**/captures/']),
  {
    files: ['**/*.{ts,tsx}'],
    extends: [
      eslint.configs.recommended,
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
    ],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { architecture, cord },
    rules: {
      'architecture/doors': 'error',
      'cord/launch': 'error',
      'max-lines': ['error', { max: 400 }],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
      ],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // A fake that does nothing does it on purpose.
      '@typescript-eslint/no-empty-function': 'off',
      // Types and interfaces each have their use; a type alias is needed for a union's member.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // Clashes with `noPropertyAccessFromIndexSignature` and says nothing about safety.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  {
    files: ['host/**/*.ts'],
    ignores: ['host/base/clock.ts', 'host/base/ids.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...clockOnly(['setTimeout', 'setInterval', 'setImmediate', 'performance']),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Ask host/base/clock.ts.' },
        { object: 'Math', property: 'random', message: 'Ask host/base/ids.ts.' },
      ],
    },
  },
  {
    // Every effect goes through the one gate, so the means to cause one are kept in one place.
    files: ['host/**/*.ts'],
    // The last two run in helper processes, on the other side of the gate: what asks them for an effect has passed it.
    ignores: [
      'host/base/**',
      'host/store/**',
      'host/adapters/processes/forkServer.ts',
      'host/adapters/terminals/pty.ts',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { paths: effects() }],
    },
  },
  {
    files: ['test/**/*.{ts,tsx}'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/consistent-type-assertions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      // A fake answers at once where the real one takes time.
      '@typescript-eslint/require-await': 'off',
    },
  },
);

function clockOnly(names) {
  return names.map((name) => ({ name, message: 'Ask host/base/clock.ts.' }));
}

function effects() {
  const message = 'Effects start in host/base/effects.ts.';
  const reading = [
    'existsSync',
    'readFileSync',
    'statSync',
    'realpathSync',
    'constants',
    'Stats',
    'Dirent',
    'createReadStream',
  ];
  const readingLater = [
    'readFile',
    'readdir',
    'stat',
    'lstat',
    'realpath',
    'access',
    'opendir',
    'readlink',
    'constants',
  ];
  return [
    { name: 'node:child_process', message },
    { name: 'node:net', message },
    { name: 'node:http', message },
    { name: 'node:https', message },
    { name: 'node:fs', allowImportNames: reading, message },
    { name: 'node:fs/promises', allowImportNames: readingLater, message },
  ];
}
