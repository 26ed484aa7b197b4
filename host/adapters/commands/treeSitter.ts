/** What is used of tree-sitter. It is read when the first command is, from a bundle of its own. */
export { Language, Parser } from '@vscode/tree-sitter-wasm';
