/** The real VS Code that tests and `npm start` use: the npm package `code-server` and the Node it asks for. */
export const codeServerVersion = '4.139.1';
export const serverNodeVersion = '24.22.3';
